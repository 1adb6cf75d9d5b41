import type { Database } from 'bun:sqlite'

/** The invitations, passwords and browser sessions. Only hashes of secrets are stored. */
export type SessionStore = {
  addInvitation(hash: Uint8Array, account_id: string, expires_at: number): void
  /** The account of an unexpired invitation. */
  findInvitedAccount(hash: Uint8Array, now: number): string | null
  /** Sets the password hash of an account, and ends its invitations and sessions. */
  setPassword(account_id: string, passwordHash: string): void
  addSession(hash: Uint8Array, account_id: string, expires_at: number): void
  findSessionAccount(hash: Uint8Array, now: number): string | null
  removeSession(hash: Uint8Array): void
  /** The active sessions of an account by expiry, latest first. `isCurrent` is 1 for the session with `currentHash`. */
  listSessions(account_id: string, currentHash: Uint8Array, now: number): { expires_at: number; isCurrent: number }[]
  /** Ends all sessions of an account except the current one. */
  removeOtherSessions(account_id: string, currentHash: Uint8Array): void
  sweep(now: number): void
}

/** Creates the session store. All statements are prepared once. */
export function createSessionStore(db: Database): SessionStore {
  const addInvitation = db.query('INSERT INTO invitations (hash, account_id, expires_at) VALUES (?, ?, ?)')
  const findInvitedAccount = db.query<{ account_id: string }, [Uint8Array, number]>(
    'SELECT account_id FROM invitations WHERE hash = ? AND expires_at > ?',
  )
  const setPassword = db.query('UPDATE accounts SET password_hash = ? WHERE id = ?')
  const removeInvitations = db.query('DELETE FROM invitations WHERE account_id = ?')
  const removeSessions = db.query('DELETE FROM sessions WHERE account_id = ?')
  const addSession = db.query('INSERT INTO sessions (hash, account_id, expires_at) VALUES (?, ?, ?)')
  const findSessionAccount = db.query<{ account_id: string }, [Uint8Array, number]>(
    'SELECT account_id FROM sessions WHERE hash = ? AND expires_at > ?',
  )
  const findSessions = db.query<{ expires_at: number; isCurrent: number }, [Uint8Array, string, number]>(
    'SELECT expires_at, hash = ? AS isCurrent FROM sessions WHERE account_id = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT 100',
  )
  const removeOtherSessions = db.query('DELETE FROM sessions WHERE account_id = ? AND hash <> ?')
  const removeSession = db.query('DELETE FROM sessions WHERE hash = ?')
  const sweepInvitations = db.query('DELETE FROM invitations WHERE expires_at <= ?')
  const sweepSessions = db.query('DELETE FROM sessions WHERE expires_at <= ?')
  return {
    addInvitation: (hash, account_id, expires_at) => void addInvitation.run(hash, account_id, expires_at),
    findInvitedAccount: (hash, now) => findInvitedAccount.get(hash, now)?.account_id ?? null,
    setPassword: (account_id, passwordHash) =>
      db.transaction(() => {
        setPassword.run(passwordHash, account_id)
        removeInvitations.run(account_id)
        removeSessions.run(account_id)
      })(),
    addSession: (hash, account_id, expires_at) => void addSession.run(hash, account_id, expires_at),
    findSessionAccount: (hash, now) => findSessionAccount.get(hash, now)?.account_id ?? null,
    removeSession: (hash) => void removeSession.run(hash),
    listSessions: (account_id, currentHash, now) => findSessions.all(currentHash, account_id, now),
    removeOtherSessions: (account_id, currentHash) => void removeOtherSessions.run(account_id, currentHash),
    sweep(now) {
      sweepInvitations.run(now)
      sweepSessions.run(now)
    },
  }
}
