import type { AccessStore, ListedToken, StoredToken } from '../access.ts'
import type { StoredAccount } from '../people.ts'
import { lockAccount } from './locks.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'
import { revokeTokens } from './revocation.ts'

/** Creates the access store on PostgreSQL. */
export function createPostgresAccess({ quick, work }: PostgresPools): AccessStore {
  return {
    ...createTokens(quick),
    ...createSessions(quick),
    secret: createSecrets(quick),
    async epoch() {
      const [row] = await quick.query<{ epoch: string }>('SELECT epoch FROM access_epoch')
      return Number(row!.epoch)
    },
    async sweep(now) {
      await work.query('DELETE FROM sessions WHERE expires_at <= $1', now)
      await work.query("DELETE FROM tokens WHERE kind = 'oat' AND expires_at < $1", now)
    },
  }
}

type Tokens = Pick<AccessStore, 'addToken' | 'findToken' | 'listTokens' | 'revokeToken' | 'recordTokenUse'>

function createTokens({ query, transaction }: PostgresPools['quick']): Tokens {
  return {
    addToken: (token) =>
      transaction(async (send) => {
        if (token.parent_id !== null) await lockAccount(send, '$1', token.account_id)
        await send(
          `INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at, expires_at, parent_id)
           SELECT $1, $2::bytea, $3, $4, $5, $6::bigint, $7::bigint, $8::bigint
           WHERE $8::bigint IS NULL OR EXISTS (SELECT FROM tokens WHERE id = $8::bigint AND ${activeAt('$6::bigint')})
           ON CONFLICT DO NOTHING`,
          token.account_id,
          token.hash,
          token.last_four,
          token.name,
          token.scopes,
          token.created_at,
          token.expires_at,
          token.parent_id,
        )
        const [added] = await send<{ id: string }>('SELECT id FROM tokens WHERE hash = $1', token.hash)
        return added ? Number(added.id) : null
      }),
    async findToken(hash) {
      const [token] = await query<StoredToken>(
        `SELECT t.id, t.account_id, a.name AS account_name, t.kind, t.resource, t.scopes, t.expires_at, t.revoked_at
         FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = $1`,
        hash,
      )
      return token ? withIntegers(token, 'id', 'expires_at', 'revoked_at') : null
    },
    async listTokens(account_id, below, limit) {
      const tokens = await query<ListedToken>(
        `SELECT id, name, last_four, scopes, created_at, expires_at, last_used_at FROM tokens
         WHERE account_id = $1 AND id < $2 AND kind = 'pat' AND revoked_at IS NULL ORDER BY id DESC LIMIT $3`,
        account_id,
        below,
        limit,
      )
      return tokens.map((token) => withIntegers(token, 'id', 'created_at', 'expires_at', 'last_used_at'))
    },
    revokeToken: (account_id, id, at) =>
      transaction(async (send) => {
        await lockAccount(send, '$1', account_id)
        const condition = "account_id = $2 AND id = $3 AND kind = 'pat' AND revoked_at IS NULL"
        return revokeTokens(send, condition, at, account_id, id)
      }),
    // The rows are locked in the order of their ids, so that two processes do not wait for each other.
    recordTokenUse: (times) =>
      transaction(async (send) => {
        await send(
          `WITH uses AS (
             SELECT t.id, u.at FROM json_to_recordset($1::text::json) AS u (id bigint, at bigint) JOIN tokens t USING (id)
             ORDER BY t.id FOR NO KEY UPDATE OF t)
           UPDATE tokens t SET last_used_at = greatest(t.last_used_at, uses.at) FROM uses WHERE t.id = uses.id`,
          JSON.stringify(Array.from(times, ([id, at]) => ({ id, at }))),
        )
      }),
  }
}

type Sessions = Pick<AccessStore, 'beginSession' | 'findSession' | 'endSession' | 'listSessions' | 'endOtherSessions'>

function createSessions({ query, transaction }: PostgresPools['quick']): Sessions {
  return {
    beginSession: ({ hash, account_id, expires_at, token_id }, previousHash) =>
      transaction(async (send) => {
        if (previousHash) await send('DELETE FROM sessions WHERE hash = $1', previousHash)
        await send(
          'INSERT INTO sessions (hash, account_id, expires_at, token_id) VALUES ($1, $2, $3, $4)',
          hash,
          account_id,
          expires_at,
          token_id,
        )
      }),
    async findSession(hash, now) {
      const [found] = await query<StoredAccount & { token_id: string | null; token_expires_at: string | null }>(
        `SELECT a.id, a.name, a.created_at, a.scopes, a.password_hash, s.token_id, t.expires_at AS token_expires_at
         FROM ${activeWithToken('sessions', '$2')} AND s.hash = $1`,
        hash,
        now,
      )
      if (!found) return null
      const { token_id: id, token_expires_at: expires_at, ...account } = found
      const token = id === null ? null : { id: Number(id), expires_at: expires_at === null ? null : Number(expires_at) }
      return { account: withIntegers(account, 'created_at'), token }
    },
    async endSession(hash) {
      await query('DELETE FROM sessions WHERE hash = $1', hash)
    },
    async listSessions(account_id, currentHash, now) {
      const sessions = await query<{ expires_at: number; isCurrent: boolean }>(
        `SELECT s.expires_at, s.hash = $3 AS "isCurrent" FROM ${activeWithToken('sessions', '$2')} AND s.account_id = $1
         ORDER BY s.expires_at DESC LIMIT 100`,
        account_id,
        now,
        currentHash,
      )
      return sessions.map((session) => withIntegers(session, 'expires_at'))
    },
    async endOtherSessions(account_id, currentHash) {
      await query('DELETE FROM sessions WHERE account_id = $1 AND hash <> $2', account_id, currentHash)
    },
  }
}

function createSecrets({ query }: PostgresPools['quick']): AccessStore['secret'] {
  const find = async (name: string) => {
    const [found] = await query<{ value: Uint8Array }>('SELECT value FROM secrets WHERE name = $1', name)
    return found ? new Uint8Array(found.value) : null
  }
  return async (name, candidate) => {
    const found = await find(name)
    if (found) return found
    await query('INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', name, candidate)
    return (await find(name))!
  }
}

/** The condition that a token is neither revoked nor expired at a time. */
export function activeAt(time: string): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${time})`
}

/** The rows of a table at `now`, each with its account and the token that it was made with and ends with. */
export function activeWithToken(table: 'sessions' | 'invitations' | 'shares', now: string): string {
  return `${table} s JOIN accounts a ON a.id = s.account_id LEFT JOIN tokens t ON t.id = s.token_id
    WHERE s.expires_at > ${now} AND (s.token_id IS NULL
      OR (t.id IS NOT NULL AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})))`
}
