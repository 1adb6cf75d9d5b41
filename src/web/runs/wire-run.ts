import type { FieldResult } from '../wire.ts'

/** What the pages read of runs. */
export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
export type RunKind = 'fetch_batch' | 'geocode_batch' | 'lookup_batch'
export type RunProgress = { total: number; done: number; ok: number; failed: number }

export type RunSummary = {
  run_id: string
  kind: RunKind
  status: RunStatus
  created_at: string
  started_at: string | null
  finished_at: string | null
  expires_at: string | null
  progress: RunProgress
  catalog_version: string
  retry_of: string | null
  error: { error: string; message: string } | null
  links: { csv: string; geojson: string }
}

/** What is to be found out of each row. */
export type Selected = { kind: RunKind; preset: string | null; fields: string[] }

export type RunList = { items: RunSummary[]; next_cursor: string | null }

/** One location of the result. */
export type RunEntry = {
  index: number
  original_index?: number
  ok: boolean
  lat?: number
  lng?: number
  error?: { error: string; message: string; retryable: boolean }
  fields?: Record<string, FieldResult>
}

export type Limits = { limits: Record<string, { value: number; unit: string }> }
