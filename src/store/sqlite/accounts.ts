import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** A token with the name of its account. Times are milliseconds since 1970; null means never. */
export type StoredToken = {
  id: number
  account_id: string
  account_name: string
  kind: 'pat' | 'oat'
  /** The OAuth resources that the token is limited to, separated by spaces; null means no limit. */
  resource: string | null
  scopes: string
  expires_at: number | null
  revoked_at: number | null
}

/** The token that made another token, a session or a login. Those end with it. */
export type ParentToken = { id: number; expires_at: number | null }

type NewToken = {
  account_id: string
  hash: Uint8Array
  last_four: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  kind?: 'pat' | 'oat'
  resource?: string | null
  grant_id?: number | null
  /** The token that made this one; null for a token made in a browser session or on the command line. */
  parent_id?: number | null
}

/** A token in the list of its account. */
export type ListedToken = {
  id: number
  name: string
  last_four: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

/** An account. `scopes` are the most it may use, null for all; `password_hash` is null until a password is set. */
export type StoredAccount = {
  id: string
  name: string
  created_at: number
  scopes: string | null
  password_hash: string | null
}

/** The accounts and their tokens. */
export type AccountStore = {
  /** Adds an account. Returns false if its id or name exists already. */
  addAccount(id: string, name: string, created_at: number, scopes?: string | null): boolean
  findAccount(id: string): StoredAccount | null
  findAccountByName(name: string): StoredAccount | null
  /** Every account, the oldest first. */
  listAccounts(limit: number): StoredAccount[]
  /** Removes the account with its credentials and its usage. Its runs stay until they expire. */
  removeAccount(id: string): void
  /** Adds the token if it does not exist, and returns its id. */
  addToken(newToken: NewToken): number
  findTokenByHash(hash: Uint8Array): StoredToken | null
  /** The API tokens of an account that are not revoked and have an id below `below`, newest first. */
  listTokens(account_id: string, below: number, limit: number): ListedToken[]
  /** Returns a token if it is neither revoked nor expired. */
  findActiveToken(id: number, now: number): ParentToken | null
  /** Revokes an API token and all that it made. Returns false if the account has no such active token. */
  revokeToken(account_id: string, id: number, at: number): boolean
  /** Revokes one token by its hash, and all that it made. */
  revokeTokenByHash(hash: Uint8Array, at: number): void
  /** Revokes all tokens of a grant, and all that they made. */
  revokeTokensOfGrant(grant_id: number, at: number): void
  /** Stores the time of last use by token id, in one transaction. */
  recordTokenUse(times: ReadonlyMap<number, number>): void
  /** Deletes the OAuth access tokens that expired before a time. */
  sweep(before: number): void
}

/** Creates the account store. All statements are prepared once. */
export function createAccountStore(db: Database): AccountStore {
  const addAccount = db.query(
    'INSERT INTO accounts (id, name, created_at, scopes) SELECT $id, $name, $created_at, $scopes WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = $id OR name = $name)',
  )
  const findAccount = db.query<StoredAccount, [string]>(
    'SELECT id, name, created_at, scopes, password_hash FROM accounts WHERE id = ?',
  )
  const findAccountByName = db.query<StoredAccount, [string]>(
    'SELECT id, name, created_at, scopes, password_hash FROM accounts WHERE name = ?',
  )
  const listAccounts = db.query<StoredAccount, [number]>(
    'SELECT id, name, created_at, scopes, password_hash FROM accounts ORDER BY created_at, id LIMIT ?',
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
    'DELETE FROM quota_usage WHERE account_id = ?',
    'DELETE FROM accounts WHERE id = ?',
  ].map((statement) => db.query(statement))
  const addToken = db.query(
    `INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at, expires_at, kind, resource, grant_id, parent_id)
     VALUES ($account_id, $hash, $last_four, $name, $scopes, $created_at, $expires_at, $kind, $resource, $grant_id, $parent_id) ON CONFLICT DO NOTHING`,
  )
  const findTokenId = db.query<{ id: number }, [Uint8Array]>('SELECT id FROM tokens WHERE hash = ?')
  const findTokenByHash = db.query<StoredToken, [Uint8Array]>(
    `SELECT t.id, t.account_id, a.name AS account_name, t.kind, t.resource, t.scopes, t.expires_at, t.revoked_at
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
  )
  const listTokens = db.query<ListedToken, [string, number, number]>(
    `SELECT id, name, last_four, scopes, created_at, expires_at, last_used_at FROM tokens
     WHERE account_id = ? AND id < ? AND kind = 'pat' AND revoked_at IS NULL ORDER BY id DESC LIMIT ?`,
  )
  const findActiveToken = db.query<ParentToken, [number, number]>(
    'SELECT id, expires_at FROM tokens WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)',
  )
  const recordTokenUse = db.query('UPDATE tokens SET last_used_at = ? WHERE id = ?')
  const sweep = db.query("DELETE FROM tokens WHERE kind = 'oat' AND expires_at < ?")
  return storeWithStorageErrors({
    addAccount: (id, name, created_at, scopes = null) => addAccount.run({ id, name, created_at, scopes }).changes > 0,
    findAccount: (id) => findAccount.get(id),
    findAccountByName: (name) => findAccountByName.get(name),
    listAccounts: (limit) => listAccounts.all(limit),
    removeAccount: (id) =>
      db.transaction(() => {
        for (const removal of removals) removal.run(id)
      })(),
    addToken({ kind = 'pat', resource = null, grant_id = null, parent_id = null, ...token }) {
      addToken.run({ ...token, kind, resource, grant_id, parent_id })
      return findTokenId.get(token.hash)!.id
    },
    findTokenByHash: (hash) => findTokenByHash.get(hash),
    listTokens: (account_id, below, limit) => listTokens.all(account_id, below, limit),
    findActiveToken: (id, now) => findActiveToken.get(id, now),
    ...createRevocations(db),
    recordTokenUse: (times) =>
      db.transaction(() => {
        for (const [id, at] of times) recordTokenUse.run(at, id)
      })(),
    sweep: (before) => void sweep.run(before),
  })
}

type Revocations = Pick<AccountStore, 'revokeToken' | 'revokeTokenByHash' | 'revokeTokensOfGrant'>

function createRevocations(db: Database): Revocations {
  const ofAccount = "account_id = $account_id AND id = $id AND kind = 'pat' AND revoked_at IS NULL"
  const revokeToken = revocationWhere(db, ofAccount)
  const revokeTokenByHash = revocationWhere(db, 'hash = $hash')
  const revokeTokensOfGrant = revocationWhere(db, 'grant_id = $grant_id')
  return {
    revokeToken: (account_id, id, at) => revokeToken({ account_id, id, at }),
    revokeTokenByHash: (hash, at) => void revokeTokenByHash({ hash, at }),
    revokeTokensOfGrant: (grant_id, at) => void revokeTokensOfGrant({ grant_id, at }),
  }
}

/**
 * Returns a function that revokes the tokens of a condition, the tokens that these made, and the logins that were
 * allowed with any of them. It returns whether a token was revoked.
 */
function revocationWhere(
  db: Database,
  condition: string,
): (values: Record<string, string | number | Uint8Array>) => boolean {
  const family = `WITH RECURSIVE family (id) AS (
    SELECT id FROM tokens WHERE ${condition} UNION SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id)`
  const revokeGrants = db.query(
    `${family} UPDATE oauth_grants SET revoked_at = $at WHERE token_id IN family AND revoked_at IS NULL`,
  )
  const revokeTokens = db.query(
    `${family} UPDATE tokens SET revoked_at = $at WHERE id IN family AND revoked_at IS NULL`,
  )
  return (values) =>
    db.transaction(() => {
      revokeGrants.run(values)
      return revokeTokens.run(values).changes > 0
    })()
}
