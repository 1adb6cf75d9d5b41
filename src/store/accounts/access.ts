import { accountColumns, type StoredAccount } from './people.ts'
import { activeWithToken, isActiveAt, revokeTokens } from './revocation.ts'
import type { Sql, SqlPools, Statements } from '../sql.ts'

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

/** A new API token. `parent_id`: the token that makes it; null in a browser session or on the command line. */
export type NewToken = {
  account_id: string
  hash: Uint8Array
  last_four: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  parent_id: number | null
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

/** A browser session with its account, and the token that it was started with; null after a password. */
type StoredSession = { account: StoredAccount; token: ParentToken | null }

/** A new browser session. */
export type NewSession = { hash: Uint8Array; account_id: string; expires_at: number; token_id: number | null }

/** What authentication reads and writes: API tokens, browser sessions and secret keys. Only hashes are stored. */
export type AccessStore = {
  /**
   * Adds an API token if it does not exist, and resolves with its id. Resolves with null, and adds nothing, if the
   * token that makes it has ended.
   */
  addToken(token: NewToken): Promise<number | null>
  findToken(hash: Uint8Array): Promise<StoredToken | null>
  /** The API tokens of an account that are not revoked and have an id below `below`, newest first. */
  listTokens(account_id: string, below: number, limit: number): Promise<ListedToken[]>
  /** Revokes an API token and all that it made. Resolves with false if the account has no such active token. */
  revokeToken(account_id: string, id: number, at: number): Promise<boolean>
  /** Stores the time of last use by token id. An earlier time than the stored one changes nothing. */
  recordTokenUse(times: ReadonlyMap<number, number>): Promise<void>
  /** Starts a session, and ends the previous one of the browser. */
  beginSession(session: NewSession, previousHash: Uint8Array | null): Promise<void>
  /** Finds an unexpired session. The session of a revoked or expired token has ended. */
  findSession(hash: Uint8Array, now: number): Promise<StoredSession | null>
  endSession(hash: Uint8Array): Promise<void>
  /** The active sessions of an account by expiry, latest first. `isCurrent`: the session has `currentHash`. */
  listSessions(
    account_id: string,
    currentHash: Uint8Array,
    now: number,
  ): Promise<{ expires_at: number; isCurrent: boolean }[]>
  /** Ends all sessions of an account except the current one. */
  endOtherSessions(account_id: string, currentHash: Uint8Array): Promise<void>
  /**
   * Resolves with the secret key of this name. The first call stores `candidate`. On a read-only data folder, a new key
   * lasts until the process ends.
   */
  secret(name: string, candidate: Uint8Array): Promise<Uint8Array>
  /**
   * The access epoch: a number that grows whenever tokens end before they expire, because they are revoked or their
   * account is removed. Processes that share the state compare it to learn when to look their cached tokens up again.
   */
  epoch(): Promise<number>
  /** Deletes the expired sessions and OAuth access tokens. */
  sweep(now: number): Promise<void>
}

/** Creates the access store. */
export function createAccess({ quick, work }: SqlPools): AccessStore {
  return {
    ...createTokens(quick),
    ...createSessions(quick),
    secret: createSecrets(quick),
    async epoch() {
      return (await quick.get<{ epoch: number }>('SELECT epoch FROM access_epoch'))!.epoch
    },
    sweep: (now) =>
      work.write(function* (sql) {
        yield* sql.run('DELETE FROM sessions WHERE expires_at <= $now', { now })
        yield* sql.run("DELETE FROM tokens WHERE kind = 'oat' AND expires_at < $now", { now })
      }),
  }
}

type Tokens = Pick<AccessStore, 'addToken' | 'findToken' | 'listTokens' | 'revokeToken' | 'recordTokenUse'>

function createTokens(quick: Sql): Tokens {
  const recordUse = quick.dialect.recordStatement(
    { id: 'bigint', used_at: 'bigint' },
    (value, from) =>
      `UPDATE tokens SET last_used_at = ${value('used_at')} ${from}
       WHERE tokens.id = ${value('id')} AND coalesce(last_used_at, 0) < ${value('used_at')}`,
  )
  return {
    addToken: (token) => quick.write((sql) => addToken(sql, token)),
    findToken: (hash) => quick.get(findToken, { hash }),
    listTokens: (account_id, below, limit) => quick.all(listTokens, { account_id, below, limit }),
    revokeToken: (account_id, id, at) =>
      quick.write(function* (sql) {
        yield* sql.dialect.lockAccount(sql, '$account_id', { account_id })
        const condition = "account_id = $account_id AND id = $id AND kind = 'pat' AND revoked_at IS NULL"
        return yield* revokeTokens(sql, condition, { account_id, id, at })
      }),
    recordTokenUse: (times) =>
      quick.write((sql) => {
        const uses = Array.from(times, ([id, used_at]) => ({ id, used_at }))
        return sql.dialect.updateEach(sql, 'tokens', recordUse, uses)
      }),
  }
}

function* addToken(sql: Statements, token: NewToken) {
  const { account_id, hash, parent_id, created_at } = token
  if (parent_id !== null) {
    yield* sql.dialect.lockAccount(sql, '$account_id', { account_id })
    const parent = `SELECT id FROM tokens WHERE id = $parent_id AND ${isActiveAt('$created_at')}`
    if ((yield* sql.get(parent, { parent_id, created_at })) === null) return null
  }
  yield* sql.run(
    `INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at, expires_at, parent_id)
     VALUES ($account_id, $hash, $last_four, $name, $scopes, $created_at, $expires_at, $parent_id)
     ON CONFLICT DO NOTHING`,
    token,
  )
  return (yield* sql.get<{ id: number }>('SELECT id FROM tokens WHERE hash = $hash', { hash }))!.id
}

const findToken = `SELECT t.id, t.account_id, a.name AS account_name, t.kind, t.resource, t.scopes, t.expires_at, t.revoked_at
  FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = $hash`
const listTokens = `SELECT id, name, last_four, scopes, created_at, expires_at, last_used_at FROM tokens
  WHERE account_id = $account_id AND id < $below AND kind = 'pat' AND revoked_at IS NULL ORDER BY id DESC LIMIT $limit`

type Sessions = Pick<AccessStore, 'beginSession' | 'findSession' | 'endSession' | 'listSessions' | 'endOtherSessions'>
type SessionRow = StoredAccount & { token_id: number | null; token_expires_at: number | null }

function createSessions(quick: Sql): Sessions {
  return {
    beginSession: (session, previousHash) =>
      quick.write(function* (sql) {
        if (previousHash) yield* sql.run('DELETE FROM sessions WHERE hash = $hash', { hash: previousHash })
        yield* sql.run(
          `INSERT INTO sessions (hash, account_id, expires_at, token_id)
           VALUES ($hash, $account_id, $expires_at, $token_id)`,
          session,
        )
      }),
    async findSession(hash, now) {
      const found = await quick.get<SessionRow>(findSession, { hash, now })
      if (!found) return null
      const { token_id: id, token_expires_at: expires_at, ...account } = found
      return { account, token: id === null ? null : { id, expires_at } }
    },
    async endSession(hash) {
      await quick.run('DELETE FROM sessions WHERE hash = $hash', { hash })
    },
    async listSessions(account_id, currentHash, now) {
      const values = { account_id, currentHash, now }
      const sessions = await quick.all<{ expires_at: number; is_current: boolean | 0 | 1 }>(listSessions, values)
      return sessions.map(({ expires_at, is_current }) => ({ expires_at, isCurrent: Boolean(is_current) }))
    },
    async endOtherSessions(account_id, hash) {
      await quick.run('DELETE FROM sessions WHERE account_id = $account_id AND hash <> $hash', { account_id, hash })
    },
  }
}

const activeSessions = activeWithToken('sessions')
const findSession = `SELECT ${accountColumns}, s.token_id, t.expires_at AS token_expires_at
  FROM ${activeSessions} AND s.hash = $hash`
const listSessions = `SELECT s.expires_at, s.hash = $currentHash AS is_current
  FROM ${activeSessions} AND s.account_id = $account_id ORDER BY s.expires_at DESC LIMIT 100`

function createSecrets(quick: Sql): AccessStore['secret'] {
  const find = 'SELECT value FROM secrets WHERE name = $name'
  return async (name, candidate) => {
    const found = await quick.get<{ value: Uint8Array }>(find, { name })
    if (found) return found.value
    return quick.write(function* (sql) {
      const values = { name, candidate }
      yield* sql.run('INSERT INTO secrets (name, value) VALUES ($name, $candidate) ON CONFLICT DO NOTHING', values)
      return (yield* sql.get<{ value: Uint8Array }>(find, { name }))!.value
    })
  }
}
