import type { PackedLocations } from './packed-locations.ts'

/**
 * A run to submit. `selection`, `fields`, `margin_fields` and `columns` are JSON; times are milliseconds since 1970.
 */
export type NewRun = {
  id: string
  account_id: string
  scopes: string
  kind: string
  created_at: number
  expires_at: number
  selection: string
  fields: string
  margin_fields: string
  columns: string
  catalog_version: string
  name: string | null
}

/**
 * The idempotency key of a submission and the hash of its body. A key that was last used before `after` has expired.
 */
export type SubmissionKey = { key: string; body_hash: string; after: number }

/**
 * The result of a submission: the new run, the earlier run with the same key and body, or a reused key with another
 * body.
 */
export type SubmissionResult = { run_id: string; replayed: boolean } | { keyReused: true }

/** Adds runs. A run is durable when the promise resolves. */
export type SubmissionStore = {
  submit(run: NewRun, locations: PackedLocations, key: SubmissionKey | null): Promise<SubmissionResult>
  /** Adds a run with the given locations of another run; null for its retryable locations. */
  retry(run: NewRun, original: { number: number; id: string }, indexes: number[] | null): Promise<SubmissionResult>
}
