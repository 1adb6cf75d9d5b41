import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRecord } from '../../model/record.ts'
import type { RunReader, StoredRun } from '../../store/runs/runs.ts'
import { finishedFamilyOf } from '../artifacts/artifact-writer.ts'
import { mergedEntriesOf } from '../artifacts/merged-entries.ts'

/** The error codes of fields that a new pack, a key or a setting can answer. */
export const unavailableCodes: ReadonlySet<string> = new Set([
  'offline_no_data',
  'no_local_data',
  'key_missing',
  'unsupported_request',
])
const rowsPerTurn = 100

/** The names of the fields that have a source on this server now, and whether it has a geocoder. */
export type Answerable = { fields: string[]; hasGeocoder: boolean }

/**
 * Finds the locations that still miss something in the merged result of a run and its retries, and that may be answered
 * now: their error is retryable, or they have a failed field whose error is retryable, or their field or address had no
 * source then and has one now.
 */
export async function findMissing(run: StoredRun, answerable: Answerable, reader: RunReader): Promise<number[]> {
  const fields: ReadonlySet<string> = new Set(answerable.fields)
  const missing: number[] = []
  let rows = 0
  for await (const { idx, entry } of mergedEntriesOf(await finishedFamilyOf(run, reader), reader)) {
    if (isMissing(JSON.parse(entry), fields, answerable.hasGeocoder)) missing.push(idx)
    if (++rows % rowsPerTurn === 0) await nextTurn()
  }
  return missing
}

function isMissing(entry: unknown, answerable: ReadonlySet<string>, hasGeocoder: boolean): boolean {
  if (!isRecord(entry)) return false
  if (entry.ok !== true) {
    const { retryable, error: code } = isRecord(entry.error) ? entry.error : {}
    return retryable === true || (hasGeocoder && code === 'geocoder_not_configured')
  }
  const failures = Array.isArray(entry.partial_failures) ? (entry.partial_failures as unknown[]) : []
  return failures.some((failure) => {
    if (!isRecord(failure)) return false
    const code = String(failure.error).split(':', 1)[0]!
    return failure.retryable === true || (unavailableCodes.has(code) && answerable.has(String(failure.field)))
  })
}
