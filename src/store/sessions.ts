import type { Database } from 'bun:sqlite'

/** Where invitations, passwords and the sessions of browsers are kept: of every secret only its hash. */
export type SessionStore = {
  invite(hash: Uint8Array, account_id: string, expires_at: number): void
  /** Whose invitation it is, while it is good. */
  invited(hash: Uint8Array, now: number): string | null
  /** Sets the password of an account; ends its invitations and its sessions. */
  setPassword(account_id: string, password: string): void
  begin(hash: Uint8Array, account_id: string, expires_at: number): void
  accountOf(hash: Uint8Array, now: number): string | null
  end(hash: Uint8Array): void
  /** When the sessions of an account end that have not, the latest first; `isGiven`: it is the one of that hash. */
  of(account_id: string, given: Uint8Array, now: number): { expires_at: number; isGiven: number }[]
  /** Ends the sessions of an account, all but one. */
  endOthers(account_id: string, given: Uint8Array): void
  sweep(now: number): void
}

/** Prepares every statement once. */
export function openSessionStore(db: Database): SessionStore {
  const invite = db.query('INSERT INTO invitations (hash, account_id, expires_at) VALUES (?, ?, ?)')
  const invited = db.query<{ account_id: string }, [Uint8Array, number]>('SELECT account_id FROM invitations WHERE hash = ? AND expires_at > ?')
  const setPassword = db.query('UPDATE accounts SET password = ? WHERE id = ?')
  const endInvitations = db.query('DELETE FROM invitations WHERE account_id = ?')
  const endSessions = db.query('DELETE FROM sessions WHERE account_id = ?')
  const begin = db.query('INSERT INTO sessions (hash, account_id, expires_at) VALUES (?, ?, ?)')
  const accountOf = db.query<{ account_id: string }, [Uint8Array, number]>('SELECT account_id FROM sessions WHERE hash = ? AND expires_at > ?')
  const ofAccount = db.query<{ expires_at: number; isGiven: number }, [Uint8Array, string, number]>('SELECT expires_at, hash = ? AS isGiven FROM sessions WHERE account_id = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT 100')
  const endOthers = db.query('DELETE FROM sessions WHERE account_id = ? AND hash <> ?')
  const end = db.query('DELETE FROM sessions WHERE hash = ?')
  const sweepInvitations = db.query('DELETE FROM invitations WHERE expires_at <= ?')
  const sweepSessions = db.query('DELETE FROM sessions WHERE expires_at <= ?')
  return {
    invite: (hash, account_id, expires_at) => void invite.run(hash, account_id, expires_at),
    invited: (hash, now) => invited.get(hash, now)?.account_id ?? null,
    setPassword: (account_id, password) => db.transaction(() => {
      setPassword.run(password, account_id)
      endInvitations.run(account_id)
      endSessions.run(account_id)
    })(),
    begin: (hash, account_id, expires_at) => void begin.run(hash, account_id, expires_at),
    accountOf: (hash, now) => accountOf.get(hash, now)?.account_id ?? null,
    end: (hash) => void end.run(hash),
    of: (account_id, given, now) => ofAccount.all(given, account_id, now),
    endOthers: (account_id, given) => void endOthers.run(account_id, given),
    sweep(now) {
      sweepInvitations.run(now)
      sweepSessions.run(now)
    },
  }
}
