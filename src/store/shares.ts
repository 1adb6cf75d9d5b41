/**
 * What a link shows: a run, or a report as it was when the link was made. The document of a report is compressed with
 * gzip.
 */
export type SharedContent = { kind: 'run'; run_id: string } | { kind: 'report'; document: Uint8Array }

/** A read-only link. Times are milliseconds since 1970. */
export type StoredShare = {
  id: string
  account_id: string
  kind: SharedContent['kind']
  /** The run; null for a report. */
  run_id: string | null
  title: string
  created_at: number
  expires_at: number
}

/** A new link. Only the hash of its secret is stored. It ends with the token that it was made with, if any. */
export type NewShare = Omit<StoredShare, 'kind' | 'run_id'> & {
  hash: Uint8Array
  token_id: number | null
  content: SharedContent
}

/** A link that was found by its secret. */
export type FoundShare = { share: StoredShare; content: SharedContent }

/** The read-only links of accounts. */
export type ShareStore = {
  /** Adds a link. Resolves with false, and adds nothing, if the account has `maximum` active links. */
  addShare(share: NewShare, maximum: number): Promise<boolean>
  /** An unexpired link with its content. The link of a revoked or expired token has ended. */
  findShare(hash: Uint8Array, now: number): Promise<FoundShare | null>
  /** The active links of an account, the newest first. */
  listShares(account_id: string, now: number): Promise<StoredShare[]>
  /** Deletes a link of an account. Resolves with false if the account has no such link. */
  removeShare(account_id: string, id: string): Promise<boolean>
  /** Deletes the expired links. */
  sweep(now: number): Promise<void>
}
