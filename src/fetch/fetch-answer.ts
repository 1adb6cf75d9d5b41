import type { ErrorDetail } from '../model/error.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import type { GeocodeAnswer } from '../place/geocode-outcome.ts'

/** The outcome of one field, with its provenance. */
export type FieldResult = Outcome & {
  source: string
  unit: string | null
  source_url: string
  ttl_seconds: number
  vintage: string | null
  driver: string | null
  /** Of a value from another server: from our cache, from the source, or expired in our cache while the source fails. */
  cache?: 'hit' | 'miss' | 'stale'
  notes?: string
}

/** The answer at one place: every requested field in order, and a list of the failed ones. */
export type FetchAnswer = {
  lat: number
  lng: number
  fetched_at: string
  fields: Record<string, FieldResult>
  partial_failures: { field: string; source: string; error: string; retryable: boolean }[]
  resolved_location: { lat: number; lng: number; source: Place['source'] }
  /** Only of an address: its match. */
  geocode?: Omit<GeocodeAnswer, 'lat' | 'lng'>
}

/** One location of a batch: its answer, or the error object that a single fetch would have returned. */
export type BatchEntry =
  ({ index: number; ok: true } & FetchAnswer) | { index: number; ok: false; fetched_at: string; error: ErrorDetail }

/** The answer of a batch: one entry per location, in order. */
export type BatchAnswer = { fetched_at: string; results: BatchEntry[] }
