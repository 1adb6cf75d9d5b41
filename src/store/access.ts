import type { StoredAccount } from './people.ts'

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
