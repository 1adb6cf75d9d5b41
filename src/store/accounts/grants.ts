import type { ParentToken } from './access.ts'
import { createDevices, type DeviceStore } from './devices.ts'
import {
  addGrantTokens,
  findParent,
  issueGrant,
  recordClientUse,
  type NewGrant,
  type NewGrantTokens,
  type StoredGrant,
} from './grant-issuance.ts'
import { revokeGrantTokens, revokeTokens } from './revocation.ts'
import type { Sql, SqlPools, Statements } from '../sql.ts'

/** A dynamically registered client. `redirect_uris` is JSON; `used_at` is null until a user approves the client. */
type StoredClient = {
  id: string
  name: string
  redirect_uris: string
  created_at: number
  used_at: number | null
}

/** An authorization code without its secret. `challenge` is of PKCE. */
export type NewCode = Omit<StoredGrant, 'id' | 'created_at' | 'revoked_at'> & {
  redirect_uri: string
  challenge: string
  expires_at: number
}

/** A stored code. `parent` is its active token of `token_id`; null if there is none, or if it has ended. */
export type StoredCode = NewCode & {
  failed_verifications: number
  isRedeemed: boolean
  parent: ParentToken | null
}

/** What to do with a code: redeem it, count a wrong verifier, or revoke all tokens that it was redeemed for. */
export type CodeDecision = { action: 'redeem'; issue: NewGrant } | { action: 'count_failure' } | { action: 'revoke' }

/** A refresh token with its grant. `isSuccessorUnused`: it was rotated, and its successor was not. */
export type StoredRefreshToken = {
  grant: StoredGrant
  parent: ParentToken | null
  expires_at: number
  used_at: number | null
  isSuccessorUnused: boolean
}

/** What to do with a refresh token: rotate it, answer with its successors again, or revoke all tokens of its grant. */
export type RotationDecision =
  { action: 'rotate'; tokens: NewGrantTokens } | { action: 'repeat' } | { action: 'revoke' }

/**
 * The OAuth clients, codes, grants, refresh tokens and devices. A `decide` is called between the read and the write
 * of one transaction, and nothing else changes the row meanwhile. If it throws, nothing is written. It may be called
 * again, because the transaction is repeated if it conflicts with another one.
 */
export type GrantStore = DeviceStore & {
  /**
   * Adds a client. If there are `max`, first deletes those that nobody used. Resolves with false if that is not enough.
   */
  addClient(client: Omit<StoredClient, 'used_at'>, limit: { max: number; unusedBefore: number }): Promise<boolean>
  findClient(id: string): Promise<StoredClient | null>
  /** Adds a code, and marks its client as used. */
  addCode(hash: Uint8Array, code: NewCode, now: number): Promise<void>
  /** Reads a code, and carries out what `decide` returns for it. */
  redeemCode(hash: Uint8Array, now: number, decide: (code: StoredCode | null) => CodeDecision): Promise<CodeDecision>
  /** Reads a refresh token, and carries out what `decide` returns for it. */
  rotateRefreshToken(
    hash: Uint8Array,
    now: number,
    decide: (token: StoredRefreshToken | null) => RotationDecision,
  ): Promise<RotationDecision>
  /** The active grants of an account with an unexpired refresh token, newest first. */
  listGrants(account_id: string, now: number, limit: number): Promise<StoredGrant[]>
  /** Revokes a grant of an account and its tokens. Resolves with false if the account has no such active grant. */
  revokeGrant(account_id: string, id: number, at: number): Promise<boolean>
  /** Revokes an access token, or the whole grant of a refresh token, if `client_id` has it. */
  revokeTokenOfClient(
    hash: Uint8Array,
    client_id: string,
    at: number,
  ): Promise<'revoked' | 'unknown' | 'of_other_client'>
  /** Deletes expired codes, devices and refresh tokens, grants without refresh tokens, and clients that nobody used. */
  sweep(now: number, unusedBefore: number): Promise<void>
}

const day_ms = 86_400_000

/** Creates the grant store. */
export function createGrants({ quick, work }: SqlPools): GrantStore {
  return {
    ...createClients(quick),
    ...createCodes(quick),
    ...createRefreshTokens(quick),
    ...createDevices(quick),
    // Rows stay one day after they expire, so that the reuse of a code or token is detected.
    sweep: (now, unusedBefore) =>
      work.write(function* (sql) {
        const before = now - day_ms
        for (const table of ['oauth_codes', 'oauth_devices', 'oauth_refresh_tokens'])
          yield* sql.run(`DELETE FROM ${table} WHERE expires_at < $before`, { before })
        yield* sql.run(
          `DELETE FROM oauth_grants WHERE created_at < $before
           AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = oauth_grants.id)`,
          { before },
        )
        yield* sql.run(removeUnusedClients, { unusedBefore })
      }),
  }
}

function createClients(quick: Sql): Pick<GrantStore, 'addClient' | 'findClient'> {
  return {
    addClient: (client, { max, unusedBefore }) =>
      quick.write(function* (sql) {
        yield* sql.dialect.takeLock(sql, 'clients')
        if ((yield* countClients(sql)) >= max) yield* sql.run(removeUnusedClients, { unusedBefore })
        if ((yield* countClients(sql)) >= max) return false
        yield* sql.run(
          `INSERT INTO oauth_clients (id, name, redirect_uris, created_at)
           VALUES ($id, $name, $redirect_uris, $created_at)`,
          client,
        )
        return true
      }),
    findClient: (id) =>
      quick.get('SELECT id, name, redirect_uris, created_at, used_at FROM oauth_clients WHERE id = $id', { id }),
  }
}

function* countClients(sql: Statements) {
  return (yield* sql.get<{ clients: number }>('SELECT count(*) AS clients FROM oauth_clients'))!.clients
}

const removeUnusedClients = 'DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < $unusedBefore'

type CodeRow = Omit<StoredCode, 'isRedeemed' | 'parent'> & { is_redeemed: boolean | 0 | 1; grant_id: number | null }

function createCodes(quick: Sql): Pick<GrantStore, 'addCode' | 'redeemCode'> {
  return {
    addCode: (hash, code, now) =>
      quick.write(function* (sql) {
        yield* sql.run(addCode, { ...code, hash })
        yield* recordClientUse(sql, code.client_id, now)
      }),
    redeemCode: (hash, now, decide) =>
      quick.write(function* (sql) {
        yield* sql.dialect.lockAccount(sql, '(SELECT account_id FROM oauth_codes WHERE hash = $hash)', { hash })
        const row = yield* sql.get<CodeRow>('SELECT * FROM oauth_codes WHERE hash = $hash', { hash })
        const parent = row && (yield* findParent(sql, row.token_id, now))
        const decision = decide(row && { ...row, isRedeemed: Boolean(row.is_redeemed), parent })
        if (decision.action === 'count_failure') yield* sql.run(countFailure, { hash })
        else if (decision.action === 'redeem') {
          const grant_id = yield* issueGrant(sql, decision.issue)
          yield* sql.run('UPDATE oauth_codes SET is_redeemed = true, grant_id = $grant_id WHERE hash = $hash', {
            grant_id,
            hash,
          })
        } else if (row && row.grant_id !== null) yield* revokeGrantTokens(sql, row.grant_id, now)
        return decision
      }),
  }
}

const addCode = `INSERT INTO oauth_codes (hash, account_id, client_id, client_name, redirect_uri, challenge, scopes, resource, expires_at, token_id)
  VALUES ($hash, $account_id, $client_id, $client_name, $redirect_uri, $challenge, $scopes, $resource, $expires_at, $token_id)`
const countFailure = 'UPDATE oauth_codes SET failed_verifications = failed_verifications + 1 WHERE hash = $hash'

type RefreshRow = {
  grant_id: number
  expires_at: number
  used_at: number | null
  successor_used_at: number | null
  has_successor: boolean | 0 | 1
}
type RefreshMethods = Pick<GrantStore, 'rotateRefreshToken' | 'listGrants' | 'revokeGrant' | 'revokeTokenOfClient'>

function createRefreshTokens(quick: Sql): RefreshMethods {
  return {
    rotateRefreshToken: (hash, now, decide) =>
      quick.write(function* (sql) {
        yield* sql.dialect.lockAccount(sql, accountOfRefreshToken, { hash })
        const row = yield* sql.get<RefreshRow>(findRefreshToken, { hash })
        const grant = row && (yield* sql.get<StoredGrant>(findGrant, { id: row.grant_id }))
        const parent = grant && (yield* findParent(sql, grant.token_id, now))
        const isSuccessorUnused = Boolean(row?.has_successor) && row?.successor_used_at === null
        const decision = decide(row && grant && { ...row, grant, parent, isSuccessorUnused })
        if (grant && decision.action === 'revoke') yield* revokeGrantTokens(sql, grant.id, now)
        if (grant && decision.action === 'rotate') {
          const successor = decision.tokens.refresh.hash
          yield* sql.run('UPDATE oauth_refresh_tokens SET used_at = $now, successor = $successor WHERE hash = $hash', {
            now,
            successor,
            hash,
          })
          yield* addGrantTokens(sql, grant.id, decision.tokens)
        }
        return decision
      }),
    listGrants: (account_id, now, limit) => quick.all(listGrants, { account_id, now, limit }),
    revokeGrant: (account_id, id, at) =>
      quick.write(function* (sql) {
        yield* sql.dialect.lockAccount(sql, '$account_id', { account_id })
        const grant = yield* sql.get<StoredGrant>(findGrant, { id })
        if (grant?.account_id !== account_id || grant.revoked_at !== null) return false
        yield* revokeGrantTokens(sql, id, at)
        return true
      }),
    revokeTokenOfClient: (hash, client_id, at) =>
      quick.write(function* (sql) {
        yield* sql.dialect.lockAccount(sql, accountOfGrantToken, { hash })
        const refresh = yield* sql.get<RefreshRow>(findRefreshToken, { hash })
        const grant = refresh
          ? yield* sql.get<StoredGrant>(findGrant, { id: refresh.grant_id })
          : yield* sql.get<StoredGrant>(findGrantOfToken, { hash })
        if (!grant) return 'unknown'
        if (grant.client_id !== client_id) return 'of_other_client'
        if (refresh) yield* revokeGrantTokens(sql, grant.id, at)
        else yield* revokeTokens(sql, 'hash = $hash', { hash, at })
        return 'revoked'
      }),
  }
}

/** The id of the account of the refresh token, or of the access token, with the hash `$hash`. */
const accountOfRefreshToken =
  '(SELECT g.account_id FROM oauth_refresh_tokens r JOIN oauth_grants g ON g.id = r.grant_id WHERE r.hash = $hash)'
const accountOfGrantToken = `coalesce(${accountOfRefreshToken}, (SELECT account_id FROM tokens WHERE hash = $hash))`
const findRefreshToken = `SELECT r.grant_id, r.expires_at, r.used_at, s.hash IS NOT NULL AS has_successor, s.used_at AS successor_used_at
  FROM oauth_refresh_tokens r LEFT JOIN oauth_refresh_tokens s ON s.hash = r.successor WHERE r.hash = $hash`
const findGrant = 'SELECT * FROM oauth_grants WHERE id = $id'
const findGrantOfToken = 'SELECT g.* FROM oauth_grants g JOIN tokens t ON t.grant_id = g.id WHERE t.hash = $hash'
const listGrants = `SELECT * FROM oauth_grants g WHERE account_id = $account_id AND revoked_at IS NULL
  AND EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > $now)
  ORDER BY id DESC LIMIT $limit`
