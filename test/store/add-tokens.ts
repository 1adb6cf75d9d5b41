import type { Database } from 'bun:sqlite'

/** Adds the owner account with tokens, whose rows fill many pages. */
export function addTokens(db: Database, count: number): void {
  db.run("INSERT INTO accounts (id, name, created_at) VALUES ('owner', 'owner', 0)")
  const add = db.query(
    "INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at) VALUES ('owner', ?, 'abcd', ?, 'fetch', 0)",
  )
  for (let i = 0; i < count; i++)
    add.run(new Bun.CryptoHasher('sha256').update(String(i)).digest(), `token ${i} ${'x'.repeat(40)}`)
}
