import type { PostgresQuery } from './postgres-pool.ts'

/**
 * Revokes the tokens of a condition, the tokens that these made, and the logins that were allowed with any of them.
 * Resolves with whether a token was revoked. The transaction holds the lock of the account. In the condition, `$2` is
 * the first of the values.
 */
export async function revokeTokens(
  query: PostgresQuery,
  condition: string,
  at: number,
  ...values: (string | number | Uint8Array)[]
): Promise<boolean> {
  const [revoked] = await query<{ tokens: number }>(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM tokens WHERE ${condition} UNION SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id),
     revoked_grants AS (
       UPDATE oauth_grants SET revoked_at = $1 WHERE token_id IN (SELECT id FROM family) AND revoked_at IS NULL),
     revoked_tokens AS (
       UPDATE tokens SET revoked_at = $1 WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL RETURNING id)
     SELECT count(*)::int AS tokens FROM revoked_tokens`,
    at,
    ...values,
  )
  if (revoked!.tokens > 0) await raiseEpoch(query)
  return revoked!.tokens > 0
}

/** Revokes a grant with all its tokens, and all that these made. The transaction holds the lock of the account. */
export async function revokeGrantTokens(query: PostgresQuery, grant_id: number, at: number): Promise<void> {
  await query('UPDATE oauth_grants SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL', at, grant_id)
  await revokeTokens(query, 'grant_id = $2', at, grant_id)
}

/** Raises the access epoch. It is the last lock that a transaction takes, because all others wait for it. */
export async function raiseEpoch(query: PostgresQuery): Promise<void> {
  await query('UPDATE access_epoch SET epoch = epoch + 1')
}
