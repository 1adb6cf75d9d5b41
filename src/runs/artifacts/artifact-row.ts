import type { FieldOutcome } from '../../fetch/outcome-column.ts'
import type { ApiError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import type { StoredEntry, StoredRun } from '../../store/runs/runs.ts'

/** One location of a finished run, for the result files. `values` has one value per field, null if there is none. */
export type ArtifactRow = {
  index: number
  ok: boolean
  /** The coordinate that was used, or else the one that was sent; null if neither is known. */
  lat: number | null
  lng: number | null
  source: 'coordinate' | 'address' | null
  /** The code of the error of a failed location. */
  error: string | null
  errorMessage: string | null
  isErrorRetryable: boolean
  values: unknown[]
  /** The margin of error of each value, null if it has none. */
  margins: unknown[]
  /** For an area: its geometry, if it was sent as one. */
  geometry?: unknown
  /** For an area: the share that the source of each field covers. */
  covered_shares?: unknown[]
  failed_fields: string[]
  /** The status of each field, and why it has no value. */
  reasons: FieldReason[]
  /** The cells of the input row, as they were sent. */
  passthrough: string[]
  /** The index in the original run, if this run is a retry. */
  original_index: number | null
  /** The address match, if the location was an address whose fields were answered. */
  geocode: Record<string, unknown>
}

/** `reason` is the absent reason or the error code; null if the field has a value. */
type FieldReason = {
  status: 'ok' | 'absent' | 'failed'
  reason: string | null
  source: string | null
  message: string | null
  retryable: boolean
}

/** Returns the row of an entry. If the location failed, all fields are in `failed_fields`. */
export function artifactRowOf(
  { idx, entry, input, passthrough }: StoredEntry,
  fields: string[],
  { kind }: Pick<StoredRun, 'kind'>,
): ArtifactRow {
  const answer = recordOrEmpty(JSON.parse(entry))
  const sent = recordOrEmpty(JSON.parse(input))
  const error = recordOrEmpty(answer.error)
  const identity = {
    index: idx,
    error: textOrNull(error.error),
    errorMessage: textOrNull(error.message),
    isErrorRetryable: error.retryable === true,
    passthrough: passthrough === null ? [] : (JSON.parse(passthrough) as string[]),
    original_index: numberOrNull(answer.original_index),
    geocode: recordOrEmpty(answer.geocode),
  }
  if (answer.ok !== true) {
    return {
      ...identity,
      ok: false,
      lat: numberOrNull(sent.lat),
      lng: numberOrNull(sent.lng),
      source: sentSourceOf(sent),
      values: fields.map(() => null),
      margins: [],
      failed_fields: fields,
      reasons: fields.map(() => ({ ...resultWithValue, status: 'failed', reason: identity.error })),
    }
  }
  return {
    ...identity,
    ok: true,
    ...positionOf(answer),
    ...(kind === 'area_batch' && isRecord(sent.geometry) && { geometry: sent.geometry }),
    source: usedSourceOf(answer, kind),
    ...valuesOfKind(kind, answer, fields),
  }
}

/** One field of a row. */
export type ArtifactCell = { value: unknown; margin: unknown; reason: FieldReason }

/** Returns the row of a coordinate. It has one cell per field, in order. */
export function rowOfCells(
  { index, lat, lng }: { index: number; lat: number; lng: number },
  cells: readonly ArtifactCell[],
  fields: readonly string[],
): ArtifactRow {
  return {
    index,
    ok: true,
    lat,
    lng,
    source: 'coordinate',
    error: null,
    errorMessage: null,
    isErrorRetryable: false,
    values: cells.map(({ value }) => value),
    margins: cells.map(({ margin }) => margin),
    failed_fields: fields.filter((_, i) => cells[i]!.reason.status === 'failed'),
    reasons: cells.map(({ reason }) => reason),
    passthrough: [],
    original_index: null,
    geocode: {},
  }
}

/** Returns the cell of an outcome. */
export function cellOfOutcome({ value, members: { object } }: FieldOutcome): ArtifactCell {
  return { value, margin: 'moe_90' in object ? object.moe_90 : null, reason: fieldReasonOf(object) }
}

/** Returns the cell of a value without a margin of error. */
export function okCellOf(value: unknown): ArtifactCell {
  return { value, margin: null, reason: resultWithValue }
}

/**
 * Returns the row of a location that failed. `sent` is its coordinate, its address or its text, if it could be read.
 */
export function artifactRowOfError(
  index: number,
  { code, message, retryable }: ApiError,
  sent: object,
  fields: string[],
): ArtifactRow {
  const error = { error: code, message, retryable }
  return artifactRowOf(
    { idx: index, entry: JSON.stringify({ ok: false, error }), input: JSON.stringify(sent), passthrough: null },
    fields,
    { kind: 'fetch_batch' },
  )
}

/** The coordinate of an answer; for an area, a point in it. */
function positionOf(answer: Record<string, unknown>): Pick<ArtifactRow, 'lat' | 'lng'> {
  const { lat, lng } = isRecord(answer.representative_point) ? answer.representative_point : answer
  return { lat: numberOrNull(lat), lng: numberOrNull(lng) }
}

function valuesOfKind(kind: string, answer: Record<string, unknown>, fields: string[]): AnswerValues {
  if (kind === 'fetch_batch') return fieldValues(answer, fields)
  if (kind !== 'area_batch') return memberValues(answer, fields)
  const { values, ...members } = fieldValues(answer, fields)
  const results = fields.map((name) => recordOrEmpty(recordOrEmpty(answer.fields)[name]))
  return {
    ...members,
    values: values.map(areaCellOf),
    covered_shares: results.map(({ covered_share }) => covered_share ?? null),
  }
}

type AnswerValues = Pick<ArtifactRow, 'values' | 'margins' | 'covered_shares' | 'failed_fields' | 'reasons'>

const resultWithValue: FieldReason = { status: 'ok', reason: null, source: null, message: null, retryable: false }

function fieldValues(answer: Record<string, unknown>, fields: string[]): AnswerValues {
  const results = fields.map((name) => recordOrEmpty(recordOrEmpty(answer.fields)[name]))
  return {
    values: results.map(({ value }) => value ?? null),
    margins: results.map(({ moe_90 }) => moe_90 ?? null),
    failed_fields: fields.filter((_, i) => results[i]!.status === 'failed'),
    reasons: results.map(fieldReasonOf),
  }
}

function fieldReasonOf({ status, source, error, absent_reason, retryable }: Record<string, unknown>): FieldReason {
  if (status === 'ok') return resultWithValue
  if (status === 'absent') return { ...resultWithValue, status, reason: textOrNull(absent_reason) }
  // The code of a field error is followed by a colon and a sentence.
  const [, code, message] = /^([a-z0-9_]+): (.*)$/s.exec(String(error)) ?? [null, null, textOrNull(error)]
  return {
    status: 'failed',
    reason: code ?? 'internal_error',
    source: textOrNull(source),
    message: message ?? null,
    retryable: retryable === true,
  }
}

/** The values of a geocode or lookup answer. A dot in a name separates nested members. */
function memberValues(answer: Record<string, unknown>, fields: string[]): AnswerValues {
  const failures = new Map(
    (Array.isArray(answer.context_failures) ? answer.context_failures : [])
      .map(recordOrEmpty)
      .map((failure) => [String(failure.member), fieldReasonOf({ ...failure, status: 'failed' })]),
  )
  const values = fields.map(
    (name) => name.split('.').reduce<unknown>((value, member) => recordOrEmpty(value)[member], answer) ?? null,
  )
  return {
    values,
    margins: [],
    failed_fields: fields.filter((name) => failures.has(name)),
    reasons: fields.map(
      (name, i) => failures.get(name) ?? { ...resultWithValue, status: values[i] === null ? 'absent' : 'ok' },
    ),
  }
}

function usedSourceOf(answer: Record<string, unknown>, kind: string): ArtifactRow['source'] {
  if (kind === 'geocode_batch') return 'address'
  if (kind === 'area_batch') return null
  if (kind === 'lookup_batch') return answer.match_method === 'coordinate' ? 'coordinate' : 'address'
  return recordOrEmpty(answer.resolved_location).source === 'address' ? 'address' : 'coordinate'
}

function sentSourceOf(sent: Record<string, unknown>): ArtifactRow['source'] {
  const text = sent.address ?? sent.input
  if (typeof text === 'string') return parseCoordinates(text) ? 'coordinate' : 'address'
  return typeof sent.lat === 'number' ? 'coordinate' : null
}

function recordOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/**
 * Returns the cell of a result file for the value of a field in an area: the classes with their shares, the share for
 * which the field is true, the mean, the distance, the count, or the units with their values. The entries of the run
 * have all members.
 */
function areaCellOf(value: unknown): string | number | boolean | null {
  if (!isRecord(value)) return null
  if (Array.isArray(value.classes)) return listOf(value.classes, ({ value: name, share }) => `${name}=${share}`)
  if (Array.isArray(value.units) && typeof value.apportioned_sum !== 'number')
    return listOf(value.units, ({ key, value: ofUnit }) => `${key}=${ofUnit}`)
  for (const name of mainMembers) {
    const member = value[name]
    if (typeof member === 'number' || typeof member === 'string' || typeof member === 'boolean') return member
  }
  return null
}

/** The first of these that a value has is its cell. `value` is that of the nearest feature, or of a point. */
const mainMembers = ['share_true', 'mean', 'value', 'distance_m', 'count', 'apportioned_sum']

function listOf(entries: unknown[], textOf: (entry: Record<string, string | number>) => string): string {
  return entries.map((entry) => textOf(entry as Record<string, string | number>)).join('; ')
}
