import { isRecord } from '../model/record.ts'
import type { StoredEntry, StoredRun } from '../store/run-reader.ts'

/** One location of a finished run, for both artifacts. `values` has one value per field, null if there is none. */
export type ArtifactRow = {
  index: number
  ok: boolean
  /** The coordinate that was used, or else the one that was sent; null if neither is known. */
  lat: number | null
  lng: number | null
  source: 'coordinate' | 'address' | null
  error: string | null
  values: unknown[]
  failed_fields: string[]
  passthrough: string[]
}

/** Returns the row of an entry. If the location failed, all fields are in `failed_fields`. */
export function artifactRowOf(
  { entry, input, passthrough }: StoredEntry,
  fields: string[],
  { kind }: Pick<StoredRun, 'kind'>,
): ArtifactRow {
  const answer = recordOrEmpty(JSON.parse(entry))
  const sent = recordOrEmpty(JSON.parse(input))
  const identity = {
    index: Number(answer.index),
    passthrough: passthrough === null ? [] : (JSON.parse(passthrough) as string[]),
  }
  if (answer.ok !== true) {
    const error = recordOrEmpty(answer.error).error
    return {
      ...identity,
      ok: false,
      lat: numberOrNull(sent.lat),
      lng: numberOrNull(sent.lng),
      source: sentSourceOf(sent),
      error: typeof error === 'string' ? error : null,
      values: fields.map(() => null),
      failed_fields: fields,
    }
  }
  return {
    ...identity,
    ok: true,
    lat: numberOrNull(answer.lat),
    lng: numberOrNull(answer.lng),
    source: usedSourceOf(answer, kind),
    error: null,
    ...(kind === 'fetch_batch' ? fieldValues(answer, fields) : memberValues(answer, fields)),
  }
}

function fieldValues(answer: Record<string, unknown>, fields: string[]): Pick<ArtifactRow, 'values' | 'failed_fields'> {
  const results = fields.map((name) => recordOrEmpty(recordOrEmpty(answer.fields)[name]))
  return {
    values: results.map(({ value }) => value ?? null),
    failed_fields: fields.filter((_, i) => results[i]!.status === 'failed'),
  }
}

/** The values of a geocode or lookup answer. A dot in a name separates nested members. */
function memberValues(
  answer: Record<string, unknown>,
  fields: string[],
): Pick<ArtifactRow, 'values' | 'failed_fields'> {
  const failures: unknown = answer.context_failures
  return {
    values: fields.map(
      (name) => name.split('.').reduce<unknown>((value, member) => recordOrEmpty(value)[member], answer) ?? null,
    ),
    failed_fields: Array.isArray(failures) ? fields.filter((name) => failures.includes(name)) : [],
  }
}

function usedSourceOf(answer: Record<string, unknown>, kind: string): ArtifactRow['source'] {
  if (kind === 'geocode_batch') return 'address'
  if (kind === 'lookup_batch') return answer.match_method === 'coordinate' ? 'coordinate' : 'address'
  return recordOrEmpty(answer.resolved_location).source === 'address' ? 'address' : 'coordinate'
}

function sentSourceOf(sent: Record<string, unknown>): ArtifactRow['source'] {
  if (typeof sent.address === 'string' || typeof sent.input === 'string') return 'address'
  return typeof sent.lat === 'number' ? 'coordinate' : null
}

function recordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
