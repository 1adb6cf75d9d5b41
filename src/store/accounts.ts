import type { Database } from 'bun:sqlite'

/** A token as it is found again, with the name of its account. Times are milliseconds since 1970; null means never. */
export type StoredToken = { account_id: string; account_name: string; scopes: string; expires_at: number | null; revoked_at: number | null }

type NewToken = { account_id: string; hash: Uint8Array; last4: string; name: string; scopes: string; created_at: number; expires_at: number | null }

/** Where accounts and tokens are kept. */
export type AccountStore = {
  /** Adds the account if it is not there; true when it was added. */
  addAccount(id: string, name: string, created_at: number): boolean
  /** Adds the token if it is not there. */
  addToken(token: NewToken): void
  tokenByHash(hash: Uint8Array): StoredToken | null
}

export function openAccountStore(db: Database): AccountStore {
  const addAccount = db.query('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const addToken = db.query(
    `INSERT INTO tokens (account_id, hash, last4, name, scopes, created_at, expires_at)
     VALUES ($account_id, $hash, $last4, $name, $scopes, $created_at, $expires_at) ON CONFLICT DO NOTHING`,
  )
  const tokenByHash = db.query<StoredToken, [Uint8Array]>(
    `SELECT t.account_id, a.name AS account_name, t.scopes, t.expires_at, t.revoked_at
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
  )
  return {
    addAccount: (id, name, created_at) => addAccount.run(id, name, created_at).changes > 0,
    addToken: (token) => { addToken.run(token) },
    tokenByHash: (hash) => tokenByHash.get(hash),
  }
}
