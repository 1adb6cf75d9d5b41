import type { Database } from 'bun:sqlite'

/** A client that registered itself. `redirect_uris` is JSON. */
type StoredClient = { id: string; name: string; redirect_uris: string; created_at: number; used_at: number | null }

/** What a code was given out for; of the code itself only the hash is kept. */
type StoredCode = {
  account_id: string
  client_id: string
  client_name: string
  redirect_uri: string
  challenge: string
  scopes: string
  resource: string
  expires_at: number
}

/** That an account let a client in: every token of it belongs to one family, which ends as a whole. */
export type StoredGrant = { id: number; account_id: string; client_id: string; client_name: string; scopes: string; resource: string; created_at: number; revoked_at: number | null }

type StoredRefresh = { grant_id: number; expires_at: number; used_at: number | null; successor: Uint8Array | null }

/** Where OAuth keeps what outlives a request. */
export type OAuthStore = {
  addClient(client: Omit<StoredClient, 'used_at'>): void
  client(id: string): StoredClient | null
  clients(): number
  clientUsed(id: string, at: number): void
  addCode(hash: Uint8Array, code: StoredCode): void
  code(hash: Uint8Array): (StoredCode & { wrong: number; used: number; grant_id: number | null }) | null
  wrongVerifier(hash: Uint8Array): void
  spendCode(hash: Uint8Array, grant_id: number): void
  addGrant(grant: Omit<StoredGrant, 'id' | 'revoked_at'>): number
  grant(id: number): StoredGrant | null
  /** The grants of an account that can still be renewed, newest first. */
  grantsOf(account_id: string, now: number, limit: number): StoredGrant[]
  revokeGrant(id: number, at: number): void
  /** The grant of an access token. */
  grantOfToken(hash: Uint8Array): StoredGrant | null
  addRefresh(hash: Uint8Array, grant_id: number, expires_at: number): void
  refresh(hash: Uint8Array): StoredRefresh | null
  spendRefresh(hash: Uint8Array, successor: Uint8Array, at: number): void
  /** Forgets what is past its time: codes, devices, refresh tokens, grants that have none left, and clients that nobody ever used. */
  sweep(now: number, unusedBefore: number): void
  /** All of it or nothing. */
  whole<T>(work: () => T): T
}

/** Prepares every statement once. */
export function openOAuthStore(db: Database): OAuthStore {
  const addClient = db.query('INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES ($id, $name, $redirect_uris, $created_at)')
  const client = db.query<StoredClient, [string]>('SELECT * FROM oauth_clients WHERE id = ?')
  const clients = db.query<{ clients: number }, []>('SELECT count(*) AS clients FROM oauth_clients')
  const clientUsed = db.query('UPDATE oauth_clients SET used_at = ? WHERE id = ?')
  const addCode = db.query(
    `INSERT INTO oauth_codes (hash, account_id, client_id, client_name, redirect_uri, challenge, scopes, resource, expires_at)
     VALUES ($hash, $account_id, $client_id, $client_name, $redirect_uri, $challenge, $scopes, $resource, $expires_at)`,
  )
  const code = db.query<StoredCode & { wrong: number; used: number; grant_id: number | null }, [Uint8Array]>('SELECT * FROM oauth_codes WHERE hash = ?')
  const wrongVerifier = db.query('UPDATE oauth_codes SET wrong = wrong + 1 WHERE hash = ?')
  const spendCode = db.query('UPDATE oauth_codes SET used = 1, grant_id = ? WHERE hash = ?')
  const addGrant = db.query('INSERT INTO oauth_grants (account_id, client_id, client_name, scopes, resource, created_at) VALUES ($account_id, $client_id, $client_name, $scopes, $resource, $created_at)')
  const grant = db.query<StoredGrant, [number]>('SELECT * FROM oauth_grants WHERE id = ?')
  const grantsOf = db.query<StoredGrant, [string, number, number]>(
    `SELECT * FROM oauth_grants g WHERE account_id = ? AND revoked_at IS NULL
     AND EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = g.id AND r.used_at IS NULL AND r.expires_at > ?) ORDER BY id DESC LIMIT ?`,
  )
  const revokeGrant = db.query('UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const grantOfToken = db.query<StoredGrant, [Uint8Array]>('SELECT g.* FROM oauth_grants g JOIN tokens t ON t.grant_id = g.id WHERE t.hash = ?')
  const addRefresh = db.query('INSERT INTO oauth_refresh_tokens (hash, grant_id, expires_at) VALUES (?, ?, ?)')
  const refresh = db.query<StoredRefresh, [Uint8Array]>('SELECT grant_id, expires_at, used_at, successor FROM oauth_refresh_tokens WHERE hash = ?')
  const spendRefresh = db.query('UPDATE oauth_refresh_tokens SET used_at = ?, successor = ? WHERE hash = ?')
  const sweepCodes = db.query('DELETE FROM oauth_codes WHERE expires_at < ?')
  const sweepDevices = db.query('DELETE FROM oauth_devices WHERE expires_at < ?')
  const sweepRefresh = db.query('DELETE FROM oauth_refresh_tokens WHERE expires_at < ?')
  const sweepGrants = db.query('DELETE FROM oauth_grants WHERE created_at < ? AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.grant_id = oauth_grants.id)')
  const sweepClients = db.query('DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < ?')
  const day_ms = 86_400_000
  return {
    addClient: (it) => void addClient.run(it),
    client: (id) => client.get(id),
    clients: () => clients.get()!.clients,
    clientUsed: (id, at) => void clientUsed.run(at, id),
    addCode: (hash, it) => void addCode.run({ ...it, hash }),
    code: (hash) => code.get(hash),
    wrongVerifier: (hash) => void wrongVerifier.run(hash),
    spendCode: (hash, grant_id) => void spendCode.run(grant_id, hash),
    addGrant: (it) => Number(addGrant.run(it).lastInsertRowid),
    grant: (id) => grant.get(id),
    grantsOf: (account_id, now, limit) => grantsOf.all(account_id, now, limit),
    revokeGrant: (id, at) => void revokeGrant.run(at, id),
    grantOfToken: (hash) => grantOfToken.get(hash),
    addRefresh: (hash, grant_id, expires_at) => void addRefresh.run(hash, grant_id, expires_at),
    refresh: (hash) => refresh.get(hash),
    spendRefresh: (hash, successor, at) => void spendRefresh.run(at, successor, hash),
    // A day longer than they are good: what is shown a second time must still be known.
    sweep(now, unusedBefore) {
      sweepCodes.run(now - day_ms)
      sweepDevices.run(now - day_ms)
      sweepRefresh.run(now - day_ms)
      sweepGrants.run(now - day_ms)
      sweepClients.run(unusedBefore)
    },
    whole: (work) => db.transaction(work).immediate(),
  }
}
