import type { GrantStore, NewCode, StoredClient, StoredCode, StoredGrant } from '../grants.ts'
import { prepareRevocation } from './access.ts'
import { createDeviceMethods } from './devices.ts'
import { createGrantIssuer, type GrantIssuer } from './grant-issuer.ts'
import type { SqliteTransactions } from './transactions.ts'

const day_ms = 86_400_000

/** Creates the grant store. All statements are prepared once. */
export function createGrantStore(transactions: SqliteTransactions): GrantStore {
  const issuer = createGrantIssuer(transactions)
  return {
    ...createClientMethods(transactions),
    ...createCodeMethods(transactions, issuer),
    ...createGrantMethods(transactions, issuer),
    ...createDeviceMethods(transactions, issuer),
    sweep: createSweep(transactions),
  }
}

type ClientMethods = Pick<GrantStore, 'addClient' | 'findClient'>

function createClientMethods({ db, read, write }: SqliteTransactions): ClientMethods {
  const add = db.query(
    'INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES ($id, $name, $redirect_uris, $created_at)',
  )
  const find = db.query<StoredClient, [string]>('SELECT * FROM oauth_clients WHERE id = ?')
  const count = db.query<{ clients: number }, []>('SELECT count(*) AS clients FROM oauth_clients')
  const removeUnused = db.query(removeUnusedClients)
  return {
    addClient: (client, { max, unusedBefore }) =>
      write(() => {
        if (count.get()!.clients >= max) removeUnused.run(unusedBefore)
        if (count.get()!.clients >= max) return false
        add.run(client)
        return true
      }),
    findClient: (id) => read(() => find.get(id)),
  }
}

const removeUnusedClients = 'DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < ?'

type CodeRow = Omit<StoredCode, 'isRedeemed' | 'parent'> & { is_redeemed: number; grant_id: number | null }
type CodeMethods = Pick<GrantStore, 'addCode' | 'redeemCode'>

function createCodeMethods({ db, write }: SqliteTransactions, issuer: GrantIssuer): CodeMethods {
  const add = db.query<unknown, [NewCode & { hash: Uint8Array }]>(
    `INSERT INTO oauth_codes (hash, account_id, client_id, client_name, redirect_uri, challenge, scopes, resource, expires_at, token_id)
     VALUES ($hash, $account_id, $client_id, $client_name, $redirect_uri, $challenge, $scopes, $resource, $expires_at, $token_id)`,
  )
  const find = db.query<CodeRow, [Uint8Array]>('SELECT * FROM oauth_codes WHERE hash = ?')
  const countFailure = db.query<unknown, [Uint8Array]>(
    'UPDATE oauth_codes SET failed_verifications = failed_verifications + 1 WHERE hash = ?',
  )
  const redeem = db.query('UPDATE oauth_codes SET is_redeemed = 1, grant_id = ? WHERE hash = ?')
  const revokeGrant = prepareGrantRevocation(db)
  return {
    addCode: (hash, code, now) =>
      write(() => {
        add.run({ ...code, hash })
        issuer.recordClientUse(code.client_id, now)
      }),
    redeemCode: (hash, now, decide) =>
      write(() => {
        const row = find.get(hash)
        const decision = decide(row && { ...row, isRedeemed: row.is_redeemed === 1, parent: issuer.parentOf(row, now) })
        if (decision.action === 'count_failure') countFailure.run(hash)
        else if (decision.action === 'redeem') redeem.run(issuer.issue(decision.issue), hash)
        else if (row && row.grant_id !== null) revokeGrant(row.grant_id, now)
        return decision
      }),
  }
}

type RefreshRow = {
  grant_id: number
  expires_at: number
  used_at: number | null
  successor_used_at: number | null
  has_successor: number
}
type GrantMethods = Pick<GrantStore, 'rotateRefreshToken' | 'listGrants' | 'revokeGrant' | 'revokeTokenOfClient'>

function createGrantMethods({ db, read, write }: SqliteTransactions, issuer: GrantIssuer): GrantMethods {
  const findRefreshToken = db.query<RefreshRow, [Uint8Array]>(
    `SELECT r.grant_id, r.expires_at, r.used_at, s.hash IS NOT NULL AS has_successor, s.used_at AS successor_used_at
     FROM oauth_refresh_tokens r LEFT JOIN oauth_refresh_tokens s ON s.hash = r.successor WHERE r.hash = ?`,
  )
  const findGrant = db.query<StoredGrant, [number]>('SELECT * FROM oauth_grants WHERE id = ?')
  const findGrantOfToken = db.query<StoredGrant, [Uint8Array]>(
    'SELECT g.* FROM oauth_grants g JOIN tokens t ON t.grant_id = g.id WHERE t.hash = ?',
  )
  const spend = db.query('UPDATE oauth_refresh_tokens SET used_at = ?, successor = ? WHERE hash = ?')
  const list = db.query<StoredGrant, [string, number, number]>(
    `SELECT * FROM oauth_grants g WHERE account_id = ? AND revoked_at IS NULL
     AND EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > ?)
     ORDER BY id DESC LIMIT ?`,
  )
  const revokeGrant = prepareGrantRevocation(db)
  const revokeToken = prepareRevocation(db, 'hash = $hash')
  return {
    rotateRefreshToken: (hash, now, decide) =>
      write(() => {
        const row = findRefreshToken.get(hash)
        const grant = row && findGrant.get(row.grant_id)
        const isSuccessorUnused = row?.has_successor === 1 && row.successor_used_at === null
        const decision = decide(
          row && grant && { ...row, grant, parent: issuer.parentOf(grant, now), isSuccessorUnused },
        )
        if (grant && decision.action === 'revoke') revokeGrant(grant.id, now)
        if (grant && decision.action === 'rotate') {
          spend.run(now, decision.tokens.refresh.hash, hash)
          issuer.addTokens(grant.id, decision.tokens)
        }
        return decision
      }),
    listGrants: (account_id, now, limit) => read(() => list.all(account_id, now, limit)),
    revokeGrant: (account_id, id, at) =>
      write(() => {
        const grant = findGrant.get(id)
        if (grant?.account_id !== account_id || grant.revoked_at !== null) return false
        revokeGrant(id, at)
        return true
      }),
    revokeTokenOfClient: (hash, client_id, at) =>
      write(() => {
        const refresh = findRefreshToken.get(hash)
        const grant = refresh ? findGrant.get(refresh.grant_id) : findGrantOfToken.get(hash)
        if (!grant) return 'unknown'
        if (grant.client_id !== client_id) return 'of_other_client'
        if (refresh) revokeGrant(grant.id, at)
        else revokeToken({ hash, at })
        return 'revoked'
      }),
  }
}

/** Prepares the revocation of a grant with all its tokens, and all that these made. */
function prepareGrantRevocation(db: SqliteTransactions['db']): (grant_id: number, at: number) => void {
  const revokeGrant = db.query('UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const revokeTokens = prepareRevocation(db, 'grant_id = $grant_id')
  return (grant_id, at) => {
    revokeGrant.run(at, grant_id)
    revokeTokens({ grant_id, at })
  }
}

/** Rows stay one day after they expire, so that the reuse of a code or token is detected. */
function createSweep({ db, write }: SqliteTransactions): GrantStore['sweep'] {
  const expired = [
    'DELETE FROM oauth_codes WHERE expires_at < ?',
    'DELETE FROM oauth_devices WHERE expires_at < ?',
    'DELETE FROM oauth_refresh_tokens WHERE expires_at < ?',
    'DELETE FROM oauth_grants WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = oauth_grants.id)',
  ].map((statement) => db.query(statement))
  const unusedClients = db.query(removeUnusedClients)
  return (now, unusedBefore) =>
    write(() => {
      for (const removal of expired) removal.run(now - day_ms)
      unusedClients.run(unusedBefore)
    })
}
