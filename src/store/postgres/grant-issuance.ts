import type { ParentToken } from '../access.ts'
import type { NewGrant, NewGrantTokens } from '../grants.ts'
import { activeAt } from './postgres-access.ts'
import { withIntegers, type PostgresQuery } from './postgres-pool.ts'

/** Adds a grant with its first tokens, and resolves with its id. The transaction holds the lock of the account. */
export async function issueGrant(query: PostgresQuery, { grant, tokens }: NewGrant): Promise<number> {
  const [added] = await query<{ id: string }>(
    `INSERT INTO oauth_grants (account_id, client_id, client_name, scopes, resource, created_at, token_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    grant.account_id,
    grant.client_id,
    grant.client_name,
    grant.scopes,
    grant.resource,
    grant.created_at,
    grant.token_id,
  )
  const id = Number(added!.id)
  await addGrantTokens(query, id, tokens)
  return id
}

/** Adds an access token and a refresh token to a grant. The transaction holds the lock of the account. */
export async function addGrantTokens(
  query: PostgresQuery,
  grant_id: number,
  { access, refresh }: NewGrantTokens,
): Promise<void> {
  await query(
    `INSERT INTO tokens
       (account_id, hash, last_four, name, scopes, created_at, expires_at, kind, resource, grant_id, parent_id)
     SELECT account_id, $2::bytea, $3, client_name, $4, $5::bigint, $6::bigint, 'oat', resource, id, token_id
     FROM oauth_grants WHERE id = $1 ON CONFLICT DO NOTHING`,
    grant_id,
    access.hash,
    access.last_four,
    access.scopes,
    access.created_at,
    access.expires_at,
  )
  await query(
    'INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at) VALUES ($1, $2, $3)',
    refresh.hash,
    grant_id,
    refresh.expires_at,
  )
}

/** Resolves with the active token that something was made with; null if there is none, or if it has ended. */
export async function findParent(query: PostgresQuery, id: number | null, now: number): Promise<ParentToken | null> {
  if (id === null) return null
  const [parent] = await query<ParentToken>(
    `SELECT id, expires_at FROM tokens WHERE id = $1 AND ${activeAt('$2')}`,
    id,
    now,
  )
  return parent ? withIntegers(parent, 'id', 'expires_at') : null
}

/** Marks a client as used. */
export async function recordClientUse(query: PostgresQuery, id: string, at: number): Promise<void> {
  await query('UPDATE oauth_clients SET used_at = $1 WHERE id = $2', at, id)
}
