import type { Database } from 'bun:sqlite'

/** A token as it is found again, with the name of its account. Times are milliseconds since 1970; null means never. */
export type StoredToken = {
  id: number
  account_id: string
  account_name: string
  kind: 'pat' | 'oat'
  /** What the token is for; null: everything. */
  resource: string | null
  scopes: string
  expires_at: number | null
  revoked_at: number | null
}

type NewToken = {
  account_id: string
  hash: Uint8Array
  last4: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  kind?: 'pat' | 'oat'
  resource?: string | null
  grant_id?: number | null
}

/** A token as its account sees it. */
export type ListedToken = {
  id: number
  name: string
  last4: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

/** An account. `scopes`: what it may do at most, null for everything; `password`: its hash, null while none is set. */
export type StoredAccount = {
  id: string
  name: string
  created_at: number
  scopes: string | null
  password: string | null
}

/** Where accounts and tokens are kept. */
export type AccountStore = {
  /** Adds the account if neither it nor its name is there; true when it was added. */
  addAccount(id: string, name: string, created_at: number, scopes?: string | null): boolean
  findAccount(id: string): StoredAccount | null
  findAccountByName(name: string): StoredAccount | null
  /** Every account, the oldest first. */
  listAccounts(limit: number): StoredAccount[]
  /** Takes the account away with all that lets anybody in as it, and what it has used; its runs have a time of their own. */
  removeAccount(id: string): void
  /** Adds the token if it is not there, and gives the number that it has. */
  addToken(newToken: NewToken): number
  findTokenByHash(hash: Uint8Array): StoredToken | null
  /** The API tokens of an account that were not revoked, newest first, from below a number on. */
  listTokens(account_id: string, below: number, limit: number): ListedToken[]
  /** Revokes an API token of that account; false when it has none such. */
  revokeToken(account_id: string, id: number, at: number): boolean
  /** Revokes one access token, or all of a grant. */
  revokeTokenByHash(hash: Uint8Array, at: number): void
  revokeTokensOfGrant(grant_id: number, at: number): void
  /** Notes when tokens were last used, all at once. */
  recordTokenUse(times: ReadonlyMap<number, number>): void
  /** Forgets the access tokens that are past their time. */
  sweep(before: number): void
}

/** Prepares every statement once. */
export function createAccountStore(db: Database): AccountStore {
  const addAccount = db.query(
    'INSERT INTO accounts (id, name, created_at, scopes) SELECT $id, $name, $created_at, $scopes WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = $id OR name = $name)',
  )
  const findAccount = db.query<StoredAccount, [string]>(
    'SELECT id, name, created_at, scopes, password FROM accounts WHERE id = ?',
  )
  const findAccountByName = db.query<StoredAccount, [string]>(
    'SELECT id, name, created_at, scopes, password FROM accounts WHERE name = ?',
  )
  const listAccounts = db.query<StoredAccount, [number]>(
    'SELECT id, name, created_at, scopes, password FROM accounts ORDER BY created_at, id LIMIT ?',
  )
  const removals = [
    'DELETE FROM sessions WHERE account_id = ?',
    'DELETE FROM invitations WHERE account_id = ?',
    'DELETE FROM tokens WHERE account_id = ?',
    'DELETE FROM oauth_codes WHERE account_id = ?',
    'DELETE FROM oauth_devices WHERE account_id = ?',
    'DELETE FROM oauth_refresh_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE account_id = ?)',
    'DELETE FROM oauth_grants WHERE account_id = ?',
    'DELETE FROM usage WHERE account_id = ?',
    'DELETE FROM accounts WHERE id = ?',
  ].map((statement) => db.query(statement))
  const addToken = db.query(
    `INSERT INTO tokens (account_id, hash, last4, name, scopes, created_at, expires_at, kind, resource, grant_id)
     VALUES ($account_id, $hash, $last4, $name, $scopes, $created_at, $expires_at, $kind, $resource, $grant_id) ON CONFLICT DO NOTHING`,
  )
  const findTokenId = db.query<{ id: number }, [Uint8Array]>('SELECT id FROM tokens WHERE hash = ?')
  const findTokenByHash = db.query<StoredToken, [Uint8Array]>(
    `SELECT t.id, t.account_id, a.name AS account_name, t.kind, t.resource, t.scopes, t.expires_at, t.revoked_at
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
  )
  const listTokens = db.query<ListedToken, [string, number, number]>(
    `SELECT id, name, last4, scopes, created_at, expires_at, last_used_at FROM tokens
     WHERE account_id = ? AND id < ? AND kind = 'pat' AND revoked_at IS NULL ORDER BY id DESC LIMIT ?`,
  )
  const revokeToken = db.query(
    "UPDATE tokens SET revoked_at = ? WHERE account_id = ? AND id = ? AND kind = 'pat' AND revoked_at IS NULL",
  )
  const revokeTokenByHash = db.query('UPDATE tokens SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL')
  const revokeTokensOfGrant = db.query('UPDATE tokens SET revoked_at = ? WHERE grant_id = ? AND revoked_at IS NULL')
  const recordTokenUse = db.query('UPDATE tokens SET last_used_at = ? WHERE id = ?')
  const sweep = db.query("DELETE FROM tokens WHERE kind = 'oat' AND expires_at < ?")
  return {
    addAccount: (id, name, created_at, scopes = null) => addAccount.run({ id, name, created_at, scopes }).changes > 0,
    findAccount: (id) => findAccount.get(id),
    findAccountByName: (name) => findAccountByName.get(name),
    listAccounts: (limit) => listAccounts.all(limit),
    removeAccount: (id) =>
      db.transaction(() => {
        for (const removal of removals) removal.run(id)
      })(),
    addToken({ kind = 'pat', resource = null, grant_id = null, ...token }) {
      addToken.run({ ...token, kind, resource, grant_id })
      return findTokenId.get(token.hash)!.id
    },
    findTokenByHash: (hash) => findTokenByHash.get(hash),
    listTokens: (account_id, below, limit) => listTokens.all(account_id, below, limit),
    revokeToken: (account_id, id, at) => revokeToken.run(at, account_id, id).changes > 0,
    revokeTokenByHash: (hash, at) => void revokeTokenByHash.run(at, hash),
    revokeTokensOfGrant: (grant_id, at) => void revokeTokensOfGrant.run(at, grant_id),
    recordTokenUse: (times) =>
      db.transaction(() => {
        for (const [id, at] of times) recordTokenUse.run(at, id)
      })(),
    sweep: (before) => void sweep.run(before),
  }
}
