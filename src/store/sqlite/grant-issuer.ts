import type { ParentToken } from '../access.ts'
import type { NewGrant, NewGrantTokens } from '../grants.ts'
import { isActiveAt } from './access.ts'
import type { SqliteTransactions } from './transactions.ts'

/** What several methods of the grant store do inside of their transactions. */
export type GrantIssuer = {
  /** Adds a grant with its first tokens, and returns its id. */
  issue(newGrant: NewGrant): number
  addTokens(grant_id: number, tokens: NewGrantTokens): void
  /** Returns the active token that something was made with; null if there is none, or if it has ended. */
  parentOf(made: { token_id: number | null }, now: number): ParentToken | null
  recordClientUse(id: string, at: number): void
}

/** Creates the issuer. All statements are prepared once. */
export function createGrantIssuer({ db }: SqliteTransactions): GrantIssuer {
  const addGrant = db.query<{ id: number }, [NewGrant['grant']]>(
    `INSERT INTO oauth_grants (account_id, client_id, client_name, scopes, resource, created_at, token_id)
     VALUES ($account_id, $client_id, $client_name, $scopes, $resource, $created_at, $token_id) RETURNING id`,
  )
  const addAccessToken = db.query(
    `INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at, expires_at, kind, resource, grant_id, parent_id)
     SELECT account_id, $hash, $last_four, client_name, $scopes, $created_at, $expires_at, 'oat', resource, id, token_id
     FROM oauth_grants WHERE id = $grant_id ON CONFLICT DO NOTHING`,
  )
  const addRefreshToken = db.query('INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at) VALUES (?, ?, ?)')
  const findParent = db.query<ParentToken, [{ id: number; now: number }]>(
    `SELECT id, expires_at FROM tokens WHERE id = $id AND ${isActiveAt('$now')}`,
  )
  const recordClientUse = db.query('UPDATE oauth_clients SET used_at = ? WHERE id = ?')
  return { issue, addTokens, parentOf, recordClientUse: (id: string, at: number) => void recordClientUse.run(at, id) }

  function issue({ grant, tokens }: NewGrant): number {
    const { id } = addGrant.get(grant)!
    addTokens(id, tokens)
    return id
  }

  function addTokens(grant_id: number, { access, refresh }: NewGrantTokens): void {
    addAccessToken.run({ ...access, grant_id })
    addRefreshToken.run(refresh.hash, grant_id, refresh.expires_at)
  }

  function parentOf({ token_id: id }: { token_id: number | null }, now: number): ParentToken | null {
    return id === null ? null : findParent.get({ id, now })
  }
}
