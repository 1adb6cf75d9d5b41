import { isRecord } from '../../model/record.ts'
import type { RunReader, StoredEntry, StoredRun } from '../../store/runs/runs.ts'

const rowsPerRead = 100

/**
 * Yields the entries of a run in order, each with what the retries of this run found: the first of `family` is the run,
 * the others are its retries, oldest first.
 */
export async function* mergedEntriesOf(family: StoredRun[], reader: RunReader): AsyncGenerator<StoredEntry> {
  const [original, ...retries] = family
  const repeated = await positionsByIndex(original!, retries, reader)
  for (let from = 0; from < original!.total; from += rowsPerRead) {
    for (const stored of await reader.listEntries(original!.number, from, rowsPerRead)) {
      const later = await listEntriesAt(repeated.get(stored.idx) ?? [], reader)
      yield { ...stored, entry: later.reduce(mergeEntries, stored.entry) }
    }
  }
}

async function listEntriesAt(positions: Position[], reader: RunReader): Promise<string[]> {
  const entries: string[] = []
  for (const { run, idx } of positions) {
    const entry = await reader.findEntry(run, idx)
    if (entry !== null) entries.push(entry)
  }
  return entries
}

type Position = { run: number; idx: number }

/** Finds where the retries answered each location of the original run again. A retry can be the retry of a retry. */
async function positionsByIndex(
  original: StoredRun,
  retries: StoredRun[],
  reader: RunReader,
): Promise<Map<number, Position[]>> {
  const positions = new Map<number, Position[]>()
  /** The index in the original run, by run id and the index there; the original run itself needs no entry. */
  const originalIndexes = new Map<string, number[]>()
  for (const { id, number, retry_of } of retries) {
    const parent = retry_of === original.id ? null : (originalIndexes.get(retry_of ?? '') ?? [])
    const indexes = (await reader.listOriginalIndexes(number)).map((original_index) =>
      parent === null ? original_index : parent[original_index]!,
    )
    originalIndexes.set(id, indexes)
    for (const [idx, index] of indexes.entries())
      positions.set(index, [...(positions.get(index) ?? []), { run: number, idx }])
  }
  return positions
}

/**
 * Merges the entry of a location with a later one. The later entry counts, but nothing that was found earlier is lost:
 * an answer is not replaced by an error, and a value is not replaced by a failed field.
 */
function mergeEntries(earlierText: string, laterText: string): string {
  const [earlier, later] = [recordOf(earlierText), recordOf(laterText)]
  if (later.ok !== true) return earlier.ok === true ? earlierText : laterText
  if (earlier.ok !== true || !isRecord(earlier.fields) || !isRecord(later.fields)) return laterText
  const earlierFields = earlier.fields
  const restored = Object.keys(later.fields).filter(
    (name) => isFailed((later.fields as Record<string, unknown>)[name]) && !isFailed(earlierFields[name]),
  )
  if (restored.length === 0) return laterText
  const failures = Array.isArray(later.partial_failures) ? (later.partial_failures as unknown[]) : []
  return JSON.stringify({
    ...later,
    fields: { ...later.fields, ...Object.fromEntries(restored.map((name) => [name, earlierFields[name]])) },
    partial_failures: failures.filter((it) => !isRecord(it) || !restored.includes(String(it.field))),
  })
}

function isFailed(result: unknown): boolean {
  return !isRecord(result) || result.status === 'failed'
}

function recordOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  return isRecord(value) ? value : {}
}
