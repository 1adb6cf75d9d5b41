import type { GrantStore, StoredClient, StoredCode, StoredGrant } from '../grants.ts'
import { addGrantTokens, findParent, issueGrant, recordClientUse } from './grant-issuance.ts'
import { lockAccount, takeAdvisoryLock } from './locks.ts'
import { createPostgresDevices } from './postgres-devices.ts'
import { type PostgresPools, type PostgresQuery, withIntegers } from './postgres-pool.ts'
import { revokeGrantTokens, revokeTokens } from './revocation.ts'

const day_ms = 86_400_000

/** Creates the grant store on PostgreSQL. */
export function createPostgresGrants({ quick, work }: PostgresPools): GrantStore {
  return {
    ...createClients(quick),
    ...createCodes(quick),
    ...createGrants(quick),
    ...createPostgresDevices(quick),
    // Rows stay one day after they expire, so that the reuse of a code or token is detected.
    async sweep(now, unusedBefore) {
      for (const table of ['oauth_codes', 'oauth_devices', 'oauth_refresh_tokens'])
        await work.query(`DELETE FROM ${table} WHERE expires_at < $1`, now - day_ms)
      await work.query(
        `DELETE FROM oauth_grants g WHERE created_at < $1
         AND NOT EXISTS (SELECT FROM oauth_refresh_tokens r WHERE r.grant_id = g.id)`,
        now - day_ms,
      )
      await removeUnusedClients(work.query, unusedBefore)
    },
  }
}

function createClients({ query, transaction }: PostgresPools['quick']): Pick<GrantStore, 'addClient' | 'findClient'> {
  return {
    addClient: ({ id, name, redirect_uris, created_at }, { max, unusedBefore }) =>
      transaction(async (send) => {
        await takeAdvisoryLock(send, 'clients')
        if ((await countClients(send)) >= max) await removeUnusedClients(send, unusedBefore)
        if ((await countClients(send)) >= max) return false
        await send(
          'INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES ($1, $2, $3, $4)',
          id,
          name,
          redirect_uris,
          created_at,
        )
        return true
      }),
    async findClient(id) {
      const [client] = await query<StoredClient>(
        'SELECT id, name, redirect_uris, created_at, used_at FROM oauth_clients WHERE id = $1',
        id,
      )
      return client ? withIntegers(client, 'created_at', 'used_at') : null
    },
  }
}

async function countClients(query: PostgresQuery): Promise<number> {
  const [counted] = await query<{ clients: number }>('SELECT count(*)::int AS clients FROM oauth_clients')
  return counted!.clients
}

async function removeUnusedClients(query: PostgresQuery, unusedBefore: number): Promise<void> {
  await query('DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < $1', unusedBefore)
}

type CodeRow = Omit<StoredCode, 'isRedeemed' | 'parent'> & { is_redeemed: boolean; grant_id: number | null }

function createCodes({ transaction }: PostgresPools['quick']): Pick<GrantStore, 'addCode' | 'redeemCode'> {
  return {
    addCode: (hash, code, now) =>
      transaction(async (send) => {
        await send(
          `INSERT INTO oauth_codes (hash, account_id, client_id, client_name, redirect_uri, challenge, scopes, resource,
             expires_at, token_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          hash,
          code.account_id,
          code.client_id,
          code.client_name,
          code.redirect_uri,
          code.challenge,
          code.scopes,
          code.resource,
          code.expires_at,
          code.token_id,
        )
        await recordClientUse(send, code.client_id, now)
      }),
    redeemCode: (hash, now, decide) =>
      transaction(async (send) => {
        await lockAccount(send, '(SELECT account_id FROM oauth_codes WHERE hash = $1)', hash)
        const [found] = await send<CodeRow>('SELECT * FROM oauth_codes WHERE hash = $1', hash)
        const row = found ? withIntegers(found, 'expires_at', 'token_id', 'grant_id') : null
        const parent = row && (await findParent(send, row.token_id, now))
        const decision = decide(row && { ...row, isRedeemed: row.is_redeemed, parent })
        if (decision.action === 'count_failure')
          await send('UPDATE oauth_codes SET failed_verifications = failed_verifications + 1 WHERE hash = $1', hash)
        else if (decision.action === 'redeem') {
          const grant_id = await issueGrant(send, decision.issue)
          await send('UPDATE oauth_codes SET is_redeemed = true, grant_id = $1 WHERE hash = $2', grant_id, hash)
        } else if (row && row.grant_id !== null) await revokeGrantTokens(send, row.grant_id, now)
        return decision
      }),
  }
}

type RefreshRow = {
  grant_id: number
  expires_at: number
  used_at: number | null
  successor_used_at: number | null
  has_successor: boolean
}
type Grants = Pick<GrantStore, 'rotateRefreshToken' | 'listGrants' | 'revokeGrant' | 'revokeTokenOfClient'>

/** The id of the account of the refresh token, or of the access token, with the hash `$1`. */
const accountOfRefreshToken =
  '(SELECT g.account_id FROM oauth_refresh_tokens r JOIN oauth_grants g ON g.id = r.grant_id WHERE r.hash = $1)'
const accountOfGrantToken = `coalesce(${accountOfRefreshToken}, (SELECT account_id FROM tokens WHERE hash = $1))`

function createGrants({ query, transaction }: PostgresPools['quick']): Grants {
  return {
    rotateRefreshToken: (hash, now, decide) =>
      transaction(async (send) => {
        await lockAccount(send, accountOfRefreshToken, hash)
        const row = await findRefreshToken(send, hash)
        const grant = row && (await findGrant(send, row.grant_id))
        const parent = grant && (await findParent(send, grant.token_id, now))
        const isSuccessorUnused = row !== null && row.has_successor && row.successor_used_at === null
        const decision = decide(row && grant && { ...row, grant, parent, isSuccessorUnused })
        if (grant && decision.action === 'revoke') await revokeGrantTokens(send, grant.id, now)
        if (grant && decision.action === 'rotate') {
          const { tokens } = decision
          await send(
            'UPDATE oauth_refresh_tokens SET used_at = $1, successor = $2 WHERE hash = $3',
            now,
            tokens.refresh.hash,
            hash,
          )
          await addGrantTokens(send, grant.id, tokens)
        }
        return decision
      }),
    async listGrants(account_id, now, limit) {
      const grants = await query<StoredGrant>(
        `SELECT * FROM oauth_grants g WHERE account_id = $1 AND revoked_at IS NULL AND EXISTS (
           SELECT FROM oauth_refresh_tokens r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > $2)
         ORDER BY id DESC LIMIT $3`,
        account_id,
        now,
        limit,
      )
      return grants.map(grantOf)
    },
    revokeGrant: (account_id, id, at) =>
      transaction(async (send) => {
        await lockAccount(send, '$1', account_id)
        const grant = await findGrant(send, id)
        if (grant?.account_id !== account_id || grant.revoked_at !== null) return false
        await revokeGrantTokens(send, id, at)
        return true
      }),
    revokeTokenOfClient: (hash, client_id, at) =>
      transaction(async (send) => {
        await lockAccount(send, accountOfGrantToken, hash)
        const refresh = await findRefreshToken(send, hash)
        const grant = await (refresh ? findGrant(send, refresh.grant_id) : findGrantOfToken(send, hash))
        if (!grant) return 'unknown'
        if (grant.client_id !== client_id) return 'of_other_client'
        if (refresh) await revokeGrantTokens(send, grant.id, at)
        else await revokeTokens(send, 'hash = $2', at, hash)
        return 'revoked'
      }),
  }
}

async function findRefreshToken(query: PostgresQuery, hash: Uint8Array): Promise<RefreshRow | null> {
  const [row] = await query<RefreshRow>(
    `SELECT r.grant_id, r.expires_at, r.used_at, s.hash IS NOT NULL AS has_successor, s.used_at AS successor_used_at
     FROM oauth_refresh_tokens r LEFT JOIN oauth_refresh_tokens s ON s.hash = r.successor WHERE r.hash = $1`,
    hash,
  )
  return row ? withIntegers(row, 'grant_id', 'expires_at', 'used_at', 'successor_used_at') : null
}

async function findGrant(query: PostgresQuery, id: number): Promise<StoredGrant | null> {
  const [grant] = await query<StoredGrant>('SELECT * FROM oauth_grants WHERE id = $1', id)
  return grant ? grantOf(grant) : null
}

async function findGrantOfToken(query: PostgresQuery, hash: Uint8Array): Promise<StoredGrant | null> {
  const [grant] = await query<StoredGrant>(
    'SELECT g.* FROM oauth_grants g JOIN tokens t ON t.grant_id = g.id WHERE t.hash = $1',
    hash,
  )
  return grant ? grantOf(grant) : null
}

function grantOf(row: StoredGrant): StoredGrant {
  return withIntegers(row, 'id', 'created_at', 'revoked_at', 'token_id')
}
