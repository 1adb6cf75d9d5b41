import type { Statements, SqlValues } from '../sql.ts'

/** The condition that a token is neither revoked nor expired at a time. */
export function isActiveAt(time: string): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${time})`
}

/** The rows `s` of a table at `$now`, each with its account `a` and the token `t` that it was made with and ends with. */
export function activeWithToken(table: 'sessions' | 'invitations' | 'shares'): string {
  return `${table} s JOIN accounts a ON a.id = s.account_id LEFT JOIN tokens t ON t.id = s.token_id
    WHERE s.expires_at > $now AND (s.token_id IS NULL
      OR (t.id IS NOT NULL AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $now)))`
}

/** Raises the access epoch. It is the last lock that a transaction takes, because all others wait for it. */
export const raiseAccessEpoch = 'UPDATE access_epoch SET epoch = epoch + 1'

/**
 * Revokes the tokens of a condition, the tokens that these made, and the logins that were allowed with any of them.
 * Returns whether a token was revoked. The transaction holds the lock of the account.
 */
export function* revokeTokens(sql: Statements, condition: string, values: SqlValues & { at: number }) {
  const family = `WITH RECURSIVE family (id) AS (
    SELECT id FROM tokens WHERE ${condition} UNION SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id)`
  yield* sql.run(
    `${family} UPDATE oauth_grants SET revoked_at = $at
     WHERE token_id IN (SELECT id FROM family) AND revoked_at IS NULL`,
    values,
  )
  const revoked = yield* sql.run(
    `${family} UPDATE tokens SET revoked_at = $at WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL`,
    values,
  )
  if (revoked > 0) yield* sql.run(raiseAccessEpoch)
  return revoked > 0
}

/** Revokes a grant with all its tokens, and all that these made. The transaction holds the lock of the account. */
export function* revokeGrantTokens(sql: Statements, grant_id: number, at: number) {
  const values = { grant_id, at }
  yield* sql.run('UPDATE oauth_grants SET revoked_at = $at WHERE id = $grant_id AND revoked_at IS NULL', values)
  yield* revokeTokens(sql, 'grant_id = $grant_id', values)
}
