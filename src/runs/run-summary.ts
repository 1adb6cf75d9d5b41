import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import type { ErrorDetail } from '../model/error.ts'
import type { RunStatus } from '../store/run-status.ts'

/** What a run can be made of. */
export type RunKind = 'fetch_batch' | 'geocode_batch' | 'lookup_batch'

/** How far a run is. */
export type RunProgress = { total: number; done: number; ok: number; failed: number }

/** What a list tells of a run. */
export type RunSummary = {
  run_id: string
  kind: RunKind
  status: RunStatus
  created_at: string
  started_at: string | null
  finished_at: string | null
  expires_at: string
  progress: RunProgress
  catalog_version: string
  retry_of: string | null
  /** How many of its locations a retry would ask again. */
  retryable_locations: number
  error: ErrorDetail | null
  links: { self: string; events: string; csv: string; geojson: string; cancel: string; retry: string }
}

/** A page of runs, newest first. */
export type RunPage = { items: RunSummary[]; next_cursor: string | null }

/** One location of the result: what its single endpoint would have answered; `fields` where those were asked for. `original_index`: in the run that this one tries again. */
export type RunEntry = { index: number; original_index?: number } & (
  ({ ok: true } & Partial<FetchAnswer>) | { ok: false; fetched_at: string; error: ErrorDetail }
)
