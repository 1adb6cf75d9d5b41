import type { ParentToken } from './access.ts'
import { isActiveAt } from './revocation.ts'
import type { Statements, Step } from '../sql.ts'

/** An account's authorization of a client. All tokens of a grant are revoked together. */
export type StoredGrant = {
  id: number
  account_id: string
  client_id: string
  client_name: string
  scopes: string
  resource: string
  created_at: number
  revoked_at: number | null
  /** The token of the session in which the user allowed the client; null after a password. */
  token_id: number | null
}

/** An access token and a refresh token to store. Only their hashes are stored. */
export type NewGrantTokens = {
  access: { hash: Uint8Array; last_four: string; scopes: string; created_at: number; expires_at: number }
  refresh: { hash: Uint8Array; expires_at: number }
}

/** A grant to add, with its first tokens. */
export type NewGrant = { grant: Omit<StoredGrant, 'id' | 'revoked_at'>; tokens: NewGrantTokens }

/** Adds a grant with its first tokens, and returns its id. The transaction holds the lock of the account. */
export function* issueGrant(sql: Statements, { grant, tokens }: NewGrant) {
  const { id } = (yield* sql.get<{ id: number }>(
    `INSERT INTO oauth_grants (account_id, client_id, client_name, scopes, resource, created_at, token_id)
     VALUES ($account_id, $client_id, $client_name, $scopes, $resource, $created_at, $token_id) RETURNING id`,
    grant,
  ))!
  yield* addGrantTokens(sql, id, tokens)
  return id
}

/** Adds an access token and a refresh token to a grant. The transaction holds the lock of the account. */
export function* addGrantTokens(sql: Statements, grant_id: number, { access, refresh }: NewGrantTokens) {
  const grant = yield* sql.get<StoredGrant>('SELECT * FROM oauth_grants WHERE id = $grant_id', { grant_id })
  const { account_id, client_name: name, resource, token_id: parent_id } = grant!
  yield* sql.run(
    `INSERT INTO tokens
       (account_id, hash, last_four, name, scopes, created_at, expires_at, kind, resource, grant_id, parent_id)
     VALUES ($account_id, $hash, $last_four, $name, $scopes, $created_at, $expires_at, 'oat', $resource, $grant_id, $parent_id)
     ON CONFLICT DO NOTHING`,
    { ...access, account_id, name, resource, grant_id, parent_id },
  )
  yield* sql.run(
    'INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at) VALUES ($hash, $grant_id, $expires_at)',
    { ...refresh, grant_id },
  )
}

/** Returns the active token that something was made with; null if there is none, or if it has ended. */
export function* findParent(sql: Statements, id: number | null, now: number): Step<ParentToken | null> {
  if (id === null) return null
  return yield* sql.get<ParentToken>(`SELECT id, expires_at FROM tokens WHERE id = $id AND ${isActiveAt('$now')}`, {
    id,
    now,
  })
}

/** Marks a client as used. */
export function recordClientUse(sql: Statements, id: string, at: number): Step<number> {
  return sql.run('UPDATE oauth_clients SET used_at = $at WHERE id = $id', { id, at })
}
