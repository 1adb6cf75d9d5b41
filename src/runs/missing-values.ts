import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRecord } from '../model/record.ts'
import type { RunReader, StoredRun } from '../store/run-reader.ts'
import { finishedFamilyOf } from './artifact-writer.ts'
import { mergedEntriesOf } from './merged-entries.ts'

/** The error codes of fields that a new pack, a key or a setting can answer. */
const unavailableCodes: ReadonlySet<string> = new Set([
  'offline_no_data',
  'no_local_data',
  'key_missing',
  'unsupported_request',
])
const rowsPerTurn = 100

/**
 * Finds the locations that still miss something in the merged result of a run and its retries, and that may be answered
 * now: their error is retryable, or they have a failed field whose error is retryable, or that had no source then and is
 * one of `answerable` now.
 */
export async function findMissing(run: StoredRun, answerable: string[], reader: RunReader): Promise<number[]> {
  const names: ReadonlySet<string> = new Set(answerable)
  const missing: number[] = []
  let rows = 0
  for (const { idx, entry } of mergedEntriesOf(finishedFamilyOf(run, reader), reader)) {
    if (isMissing(JSON.parse(entry), names)) missing.push(idx)
    if (++rows % rowsPerTurn === 0) await nextTurn()
  }
  return missing
}

function isMissing(entry: unknown, answerable: ReadonlySet<string>): boolean {
  if (!isRecord(entry)) return false
  if (entry.ok !== true) return isRecord(entry.error) && entry.error.retryable === true
  const failures = Array.isArray(entry.partial_failures) ? (entry.partial_failures as unknown[]) : []
  return failures.some((failure) => {
    if (!isRecord(failure)) return false
    const code = String(failure.error).split(':', 1)[0]!
    return failure.retryable === true || (unavailableCodes.has(code) && answerable.has(String(failure.field)))
  })
}
