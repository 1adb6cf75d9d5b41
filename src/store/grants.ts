import type { ParentToken } from './access.ts'
import type { StoredAccount } from './people.ts'

/** A dynamically registered client. `redirect_uris` is JSON; `used_at` is null until a user approves the client. */
export type StoredClient = {
  id: string
  name: string
  redirect_uris: string
  created_at: number
  used_at: number | null
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

/** An access token and a refresh token to store. Only their hashes are stored. */
export type NewGrantTokens = {
  access: { hash: Uint8Array; last_four: string; scopes: string; created_at: number; expires_at: number }
  refresh: { hash: Uint8Array; expires_at: number }
}

/** A grant to add, with its first tokens. */
export type NewGrant = { grant: Omit<StoredGrant, 'id' | 'revoked_at'>; tokens: NewGrantTokens }

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

type DeviceStatus = 'pending' | 'approved' | 'denied'

/** A new device authorization (RFC 8628). */
export type NewDevice = {
  user_code: string
  client_id: string
  client_name: string
  scopes: string
  resource: string
  expires_at: number
}

/** A device authorization. Only the hash of its device code is stored. */
export type StoredDevice = NewDevice & {
  status: DeviceStatus
  account_id: string | null
  /** The token of the session in which the user decided; null after a password. */
  token_id: number | null
  next_poll_at: number
  interval_s: number
}

/** A polled device with the account that decided, and the active token of `token_id`. */
export type PolledDevice = StoredDevice & { account: StoredAccount | null; parent: ParentToken | null }

/** What to do with a polled device: wait for the user, end it, or end it and issue tokens. */
export type PollDecision =
  | { action: 'wait'; next_poll_at: number; interval_s: number }
  | { action: 'end' }
  | { action: 'issue'; issue: NewGrant }

/**
 * The OAuth clients, codes, grants, refresh tokens and devices. A `decide` is called between the read and the write
 * of one transaction, and nothing else changes the row meanwhile. If it throws, nothing is written. It may be called
 * again, because the transaction is repeated if it conflicts with another one.
 */
export type GrantStore = {
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
  /** Adds a device. Resolves with false if `pendingMax` unexpired devices exist. */
  addDevice(hash: Uint8Array, device: NewDevice, limit: { now: number; pendingMax: number }): Promise<boolean>
  /** Finds the pending device with this user code. */
  findPendingDevice(user_code: string, now: number): Promise<StoredDevice | null>
  /**
   * Records the decision about the pending device with this user code, and marks the client of an approved one as used.
   */
  decideDevice(
    user_code: string,
    status: 'approved' | 'denied',
    decider: { account_id: string; token_id: number | null },
    now: number,
  ): Promise<void>
  /** Reads a device, and carries out what `decide` returns for it. */
  pollDevice(
    hash: Uint8Array,
    now: number,
    decide: (device: PolledDevice | null) => PollDecision,
  ): Promise<PollDecision>
  /** Deletes expired codes, devices and refresh tokens, grants without refresh tokens, and clients that nobody used. */
  sweep(now: number, unusedBefore: number): Promise<void>
}
