/** An account. `scopes` are the most it may use, null for all; `password_hash` is null until a password is set. */
export type StoredAccount = {
  id: string
  name: string
  created_at: number
  scopes: string | null
  password_hash: string | null
}

/** A new account. Times are milliseconds since 1970. */
export type NewAccount = Pick<StoredAccount, 'id' | 'name' | 'created_at' | 'scopes'>

/** An invitation to set a password. It ends with the token that it was made with, if any. */
export type NewInvitation = { hash: Uint8Array; expires_at: number; token_id: number | null }

/** The accounts, their passwords and invitations. Only hashes of secrets are stored. */
export type PeopleStore = {
  /** Adds an account. Resolves with false if its id or name exists already. */
  addAccount(account: NewAccount): Promise<boolean>
  /** Adds an account with an invitation. Resolves with false, and adds nothing, if its id or name exists already. */
  invite(account: NewAccount, invitation: NewInvitation): Promise<boolean>
  addInvitation(account_id: string, invitation: NewInvitation): Promise<void>
  findAccount(id: string): Promise<StoredAccount | null>
  findAccountByName(name: string): Promise<StoredAccount | null>
  /** The account of an unexpired invitation. The invitation of a revoked or expired token has ended. */
  findInvitedAccount(hash: Uint8Array, now: number): Promise<StoredAccount | null>
  /** Every account, the oldest first. */
  listAccounts(limit: number): Promise<StoredAccount[]>
  /**
   * Uses up an invitation: sets the password of its account, and ends the account's invitations and sessions. Resolves
   * with the account, or with null if the invitation has ended.
   */
  acceptInvitation(hash: Uint8Array, passwordHash: string, now: number): Promise<StoredAccount | null>
  /**
   * Removes the account with its credentials and its usage. Its runs stay until they expire. Resolves with false if the
   * account does not exist.
   */
  removeAccount(id: string): Promise<boolean>
  /** Deletes the expired invitations. */
  sweep(now: number): Promise<void>
}
