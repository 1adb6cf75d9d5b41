import { isRecord } from '../model/record.ts'
import type { StoredEntry, StoredRun } from '../store/runs.ts'

/** One location of a finished run, as both artifacts show it. `values`: one for each field, null when there is none. */
export type Row = {
  index: number
  ok: boolean
  /** Used, else sent; null where neither is known. */
  lat: number | null
  lng: number | null
  source: 'coordinate' | 'address' | null
  error: string | null
  values: unknown[]
  failed_fields: string[]
  passed: string[]
}

/** The row of an entry. A location that could not be answered lists every field as failed. */
export function rowOf({ entry, input, passed }: StoredEntry, fields: string[], { kind }: Pick<StoredRun, 'kind'>): Row {
  const answer = recordIn(JSON.parse(entry))
  const sent = recordIn(JSON.parse(input))
  const common = { index: Number(answer.index), passed: passed === null ? [] : (JSON.parse(passed) as string[]) }
  if (answer.ok !== true) {
    const error = recordIn(answer.error).error
    return { ...common, ok: false, lat: numberIn(sent.lat), lng: numberIn(sent.lng), source: sourceOf(sent), error: typeof error === 'string' ? error : null, values: fields.map(() => null), failed_fields: fields }
  }
  return { ...common, ok: true, lat: numberIn(answer.lat), lng: numberIn(answer.lng), source: usedSource(answer, kind), error: null, ...(kind === 'fetch_batch' ? ofFields(answer, fields) : ofMembers(answer, fields)) }
}

function ofFields(answer: Record<string, unknown>, fields: string[]): Pick<Row, 'values' | 'failed_fields'> {
  const results = fields.map((name) => recordIn(recordIn(answer.fields)[name]))
  return { values: results.map(({ value }) => value ?? null), failed_fields: fields.filter((_, i) => results[i]!.status === 'failed') }
}

/** The members of a geocode or a lookup; a dot leads into a member. */
function ofMembers(answer: Record<string, unknown>, fields: string[]): Pick<Row, 'values' | 'failed_fields'> {
  const failures: unknown = answer.context_failures
  return {
    values: fields.map((name) => name.split('.').reduce<unknown>((it, step) => recordIn(it)[step], answer) ?? null),
    failed_fields: Array.isArray(failures) ? fields.filter((name) => failures.includes(name)) : [],
  }
}

function usedSource(answer: Record<string, unknown>, kind: string): Row['source'] {
  if (kind === 'geocode_batch') return 'address'
  if (kind === 'lookup_batch') return answer.match_method === 'coordinate' ? 'coordinate' : 'address'
  return recordIn(answer.resolved_location).source === 'address' ? 'address' : 'coordinate'
}

function sourceOf(sent: Record<string, unknown>): Row['source'] {
  if (typeof sent.address === 'string' || typeof sent.input === 'string') return 'address'
  return typeof sent.lat === 'number' ? 'coordinate' : null
}

function recordIn(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
