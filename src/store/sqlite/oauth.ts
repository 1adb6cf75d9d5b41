import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** A dynamically registered client. `redirect_uris` is JSON. */
type StoredClient = { id: string; name: string; redirect_uris: string; created_at: number; used_at: number | null }

/** An authorization code. Only its hash is stored. */
type StoredCode = {
  account_id: string
  client_id: string
  client_name: string
  redirect_uri: string
  challenge: string
  scopes: string
  resource: string
  expires_at: number
  /** The token of the session in which the user allowed the client; null after a password. */
  token_id: number | null
}

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

type StoredRefreshToken = { grant_id: number; expires_at: number; used_at: number | null; successor: Uint8Array | null }

/** The OAuth clients, codes, grants and refresh tokens. */
export type OAuthStore = {
  addClient(newClient: Omit<StoredClient, 'used_at'>): void
  findClient(id: string): StoredClient | null
  countClients(): number
  recordClientUse(id: string, at: number): void
  addCode(hash: Uint8Array, newCode: StoredCode): void
  findCode(
    hash: Uint8Array,
  ): (StoredCode & { failed_verifications: number; is_redeemed: number; grant_id: number | null }) | null
  countFailedVerification(hash: Uint8Array): void
  redeemCode(hash: Uint8Array, grant_id: number): void
  addGrant(newGrant: Omit<StoredGrant, 'id' | 'revoked_at'>): number
  findGrant(id: number): StoredGrant | null
  /** The active grants of an account with an unexpired refresh token, newest first. */
  listGrants(account_id: string, now: number, limit: number): StoredGrant[]
  revokeGrant(id: number, at: number): void
  /** The grant of an access token. */
  findGrantByToken(hash: Uint8Array): StoredGrant | null
  addRefreshToken(hash: Uint8Array, grant_id: number, expires_at: number): void
  findRefreshToken(hash: Uint8Array): StoredRefreshToken | null
  rotateRefreshToken(hash: Uint8Array, successor: Uint8Array, at: number): void
  /**
   * Deletes expired codes, devices and refresh tokens, grants without refresh tokens, and clients that were never used.
   */
  sweep(now: number, unusedBefore: number): void
  /** Runs the work in one transaction. */
  inTransaction<T>(work: () => T): T
}

const day_ms = 86_400_000

/** Creates the OAuth store. All statements are prepared once. */
export function createOAuthStore(db: Database): OAuthStore {
  const addClient = db.query(
    'INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES ($id, $name, $redirect_uris, $created_at)',
  )
  const findClient = db.query<StoredClient, [string]>('SELECT * FROM oauth_clients WHERE id = ?')
  const clients = db.query<{ clients: number }, []>('SELECT count(*) AS clients FROM oauth_clients')
  const recordClientUse = db.query('UPDATE oauth_clients SET used_at = ? WHERE id = ?')
  const addCode = db.query(
    `INSERT INTO oauth_codes (hash, account_id, client_id, client_name, redirect_uri, challenge, scopes, resource, expires_at, token_id)
     VALUES ($hash, $account_id, $client_id, $client_name, $redirect_uri, $challenge, $scopes, $resource, $expires_at, $token_id)`,
  )
  const findCode = db.query<
    StoredCode & { failed_verifications: number; is_redeemed: number; grant_id: number | null },
    [Uint8Array]
  >('SELECT * FROM oauth_codes WHERE hash = ?')
  const countFailedVerification = db.query(
    'UPDATE oauth_codes SET failed_verifications = failed_verifications + 1 WHERE hash = ?',
  )
  const redeemCode = db.query('UPDATE oauth_codes SET is_redeemed = 1, grant_id = ? WHERE hash = ?')
  const addGrant = db.query(
    'INSERT INTO oauth_grants (account_id, client_id, client_name, scopes, resource, created_at, token_id) VALUES ($account_id, $client_id, $client_name, $scopes, $resource, $created_at, $token_id)',
  )
  const findGrant = db.query<StoredGrant, [number]>('SELECT * FROM oauth_grants WHERE id = ?')
  const listGrants = db.query<StoredGrant, [string, number, number]>(
    `SELECT * FROM oauth_grants g WHERE account_id = ? AND revoked_at IS NULL
     AND EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > ?) ORDER BY id DESC LIMIT ?`,
  )
  const revokeGrant = db.query('UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const findGrantByToken = db.query<StoredGrant, [Uint8Array]>(
    'SELECT g.* FROM oauth_grants g JOIN tokens t ON t.grant_id = g.id WHERE t.hash = ?',
  )
  const addRefreshToken = db.query('INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at) VALUES (?, ?, ?)')
  const findRefreshToken = db.query<StoredRefreshToken, [Uint8Array]>(
    'SELECT grant_id, expires_at, used_at, successor FROM oauth_refresh_tokens WHERE hash = ?',
  )
  const rotateRefreshToken = db.query('UPDATE oauth_refresh_tokens SET used_at = ?, successor = ? WHERE hash = ?')
  const sweepCodes = db.query('DELETE FROM oauth_codes WHERE expires_at < ?')
  const sweepDevices = db.query('DELETE FROM oauth_devices WHERE expires_at < ?')
  const sweepRefreshTokens = db.query('DELETE FROM oauth_refresh_tokens WHERE expires_at < ?')
  const sweepGrants = db.query(
    'DELETE FROM oauth_grants WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = oauth_grants.id)',
  )
  const sweepClients = db.query('DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < ?')
  return storeWithStorageErrors({
    addClient: (newClient) => void addClient.run(newClient),
    findClient: (id) => findClient.get(id),
    countClients: () => clients.get()!.clients,
    recordClientUse: (id, at) => void recordClientUse.run(at, id),
    addCode: (hash, newCode) => void addCode.run({ ...newCode, hash }),
    findCode: (hash) => findCode.get(hash),
    countFailedVerification: (hash) => void countFailedVerification.run(hash),
    redeemCode: (hash, grant_id) => void redeemCode.run(grant_id, hash),
    addGrant: (newGrant) => Number(addGrant.run(newGrant).lastInsertRowid),
    findGrant: (id) => findGrant.get(id),
    listGrants: (account_id, now, limit) => listGrants.all(account_id, now, limit),
    revokeGrant: (id, at) => void revokeGrant.run(at, id),
    findGrantByToken: (hash) => findGrantByToken.get(hash),
    addRefreshToken: (hash, grant_id, expires_at) => void addRefreshToken.run(hash, grant_id, expires_at),
    findRefreshToken: (hash) => findRefreshToken.get(hash),
    rotateRefreshToken: (hash, successor, at) => void rotateRefreshToken.run(at, successor, hash),
    // Rows stay one day after they expire, so that the reuse of a code or token is detected.
    sweep(now, unusedBefore) {
      sweepCodes.run(now - day_ms)
      sweepDevices.run(now - day_ms)
      sweepRefreshTokens.run(now - day_ms)
      sweepGrants.run(now - day_ms)
      sweepClients.run(unusedBefore)
    },
    inTransaction: (work) => db.transaction(work).immediate(),
  })
}
