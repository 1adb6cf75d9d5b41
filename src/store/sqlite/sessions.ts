import type { Database } from 'bun:sqlite'
import type { ParentToken } from './accounts.ts'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** The account of a session, and the token that the session was started with; null after a password. */
type StoredSession = { account_id: string; token: ParentToken | null }

/** The invitations, passwords and browser sessions. Only hashes of secrets are stored. */
export type SessionStore = {
  addInvitation(hash: Uint8Array, account_id: string, expires_at: number, token_id: number | null): void
  /** The account of an unexpired invitation. The invitation of a revoked or expired token has ended. */
  findInvitedAccount(hash: Uint8Array, now: number): string | null
  /** Sets the password hash of an account, and ends its invitations and sessions. */
  setPassword(account_id: string, passwordHash: string): void
  addSession(hash: Uint8Array, account_id: string, expires_at: number, token_id: number | null): void
  /** Finds an unexpired session. The session of a revoked or expired token has ended. */
  findSession(hash: Uint8Array, now: number): StoredSession | null
  removeSession(hash: Uint8Array): void
  /** The active sessions of an account by expiry, latest first. `isCurrent` is 1 for the session with `currentHash`. */
  listSessions(account_id: string, currentHash: Uint8Array, now: number): { expires_at: number; isCurrent: number }[]
  /** Ends all sessions of an account except the current one. */
  removeOtherSessions(account_id: string, currentHash: Uint8Array): void
  sweep(now: number): void
}

/** The rows of a table at $now, each with the token that it was made with and ends with. */
const activeIn = (table: 'sessions' | 'invitations') =>
  `${table} s LEFT JOIN tokens t ON t.id = s.token_id WHERE s.expires_at > $now
  AND (s.token_id IS NULL OR (t.id IS NOT NULL AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $now)))`
const activeSessions = activeIn('sessions')

/** Creates the session store. All statements are prepared once. */
export function createSessionStore(db: Database): SessionStore {
  const addInvitation = db.query('INSERT INTO invitations (hash, account_id, expires_at, token_id) VALUES (?, ?, ?, ?)')
  const findInvitedAccount = db.query<{ account_id: string }, { hash: Uint8Array; now: number }>(
    `SELECT s.account_id FROM ${activeIn('invitations')} AND s.hash = $hash`,
  )
  const setPassword = db.query('UPDATE accounts SET password_hash = ? WHERE id = ?')
  const removeInvitations = db.query('DELETE FROM invitations WHERE account_id = ?')
  const removeSessions = db.query('DELETE FROM sessions WHERE account_id = ?')
  const addSession = db.query('INSERT INTO sessions (hash, account_id, expires_at, token_id) VALUES (?, ?, ?, ?)')
  const findSession = db.query<
    { account_id: string; token_id: number | null; token_expires_at: number | null },
    { hash: Uint8Array; now: number }
  >(`SELECT s.account_id, s.token_id, t.expires_at AS token_expires_at FROM ${activeSessions} AND s.hash = $hash`)
  const findSessions = db.query<
    { expires_at: number; isCurrent: number },
    { currentHash: Uint8Array; account_id: string; now: number }
  >(
    `SELECT s.expires_at, s.hash = $currentHash AS isCurrent FROM ${activeSessions} AND s.account_id = $account_id ORDER BY s.expires_at DESC LIMIT 100`,
  )
  const removeOtherSessions = db.query('DELETE FROM sessions WHERE account_id = ? AND hash <> ?')
  const removeSession = db.query('DELETE FROM sessions WHERE hash = ?')
  const sweepInvitations = db.query('DELETE FROM invitations WHERE expires_at <= ?')
  const sweepSessions = db.query('DELETE FROM sessions WHERE expires_at <= ?')
  return storeWithStorageErrors({
    addInvitation: (...args) => void addInvitation.run(...args),
    findInvitedAccount: (hash, now) => findInvitedAccount.get({ hash, now })?.account_id ?? null,
    setPassword: (account_id, passwordHash) =>
      db.transaction(() => {
        setPassword.run(passwordHash, account_id)
        removeInvitations.run(account_id)
        removeSessions.run(account_id)
      })(),
    addSession: (hash, account_id, expires_at, token_id) => void addSession.run(hash, account_id, expires_at, token_id),
    findSession(hash, now) {
      const found = findSession.get({ hash, now })
      if (!found) return null
      const { account_id, token_id: id, token_expires_at: expires_at } = found
      return { account_id, token: id === null ? null : { id, expires_at } }
    },
    removeSession: (hash) => void removeSession.run(hash),
    listSessions: (account_id, currentHash, now) => findSessions.all({ currentHash, account_id, now }),
    removeOtherSessions: (account_id, currentHash) => void removeOtherSessions.run(account_id, currentHash),
    sweep(now) {
      sweepInvitations.run(now)
      sweepSessions.run(now)
    },
  })
}
