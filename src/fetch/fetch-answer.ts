import type { ErrorDetail } from '../model/error.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import type { GeocodeAnswer } from '../place/geocode-outcome.ts'

/** How one field came out, with its provenance. */
export type FieldResult = Outcome & {
  source: string
  unit: string | null
  source_url: string
  ttl_seconds: number
  vintage: string | null
  driver: string | null
  /** Of a value from another server: from our cache, from the source, or kept from before, since the source failed. */
  cache?: 'hit' | 'miss' | 'stale'
  notes?: string
}

/** The answer about one place: every requested field, in the order it was asked for, and the failures once more as a list. */
export type FetchAnswer = {
  lat: number
  lng: number
  fetched_at: string
  fields: Record<string, FieldResult>
  partial_failures: { field: string; source: string; error: string; retryable: boolean }[]
  resolved_location: { lat: number; lng: number; source: Place['source'] }
  /** Of an address: how it became a place. */
  geocode?: Omit<GeocodeAnswer, 'lat' | 'lng'>
}

/** One location of a batch: its answer, or the same error object that the single endpoint would have given. */
export type BatchEntry =
  ({ index: number; ok: true } & FetchAnswer) | { index: number; ok: false; fetched_at: string; error: ErrorDetail }

/** The answer about several places, each with its entry. */
export type BatchAnswer = { fetched_at: string; results: BatchEntry[] }
