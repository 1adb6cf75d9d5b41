import type { Database } from 'bun:sqlite'
import { tableNamesIn } from './foreign-schema.ts'

const maxReportedIds = 3

/**
 * The invariants that SQLite's integrity check does not cover: the counters of a run match its rows, and a result file
 * has all its chunks. Slices have no rows of their own. Expired runs are exempt, because a sweep may have removed some
 * of their rows.
 */
const rules: readonly (readonly [sql: string, problem: string])[] = [
  ['SELECT "table" AS id FROM pragma_foreign_key_check', 'Rows without their parent row in'],
  [
    'SELECT id FROM runs r WHERE slice_of IS NULL AND expires_at > $now AND done <> (SELECT count(*) FROM run_results WHERE run = r.number)',
    'The number of results differs from the counter of',
  ],
  [
    'SELECT id FROM runs r WHERE slice_of IS NULL AND expires_at > $now AND ok <> (SELECT coalesce(sum(ok), 0) FROM run_results WHERE run = r.number)',
    'The number of successful results differs from the counter of',
  ],
  [
    'SELECT id FROM runs r WHERE slice_of IS NULL AND expires_at > $now AND retryable_locations <> (SELECT coalesce(sum(retryable), 0) FROM run_results WHERE run = r.number)',
    'The number of retryable results differs from the counter of',
  ],
  [
    'SELECT id FROM runs r WHERE slice_of IS NULL AND expires_at > $now AND total <> (SELECT count(*) FROM run_locations WHERE run = r.number)',
    'The number of locations differs from the counter of',
  ],
  [
    `SELECT r.id || '/' || a.name AS id FROM run_artifacts a JOIN runs r ON r.number = a.run
    WHERE r.expires_at > $now AND NOT EXISTS (SELECT 1 FROM artifact_objects o WHERE o.run = a.run AND o.name = a.name AND o.etag = a.etag AND o.version IS NOT NULL)
    AND a.bytes <> (SELECT coalesce(sum(length(bytes)), 0) FROM run_chunks c WHERE c.run = a.run AND c.name = a.name)`,
    'Chunks are missing in',
  ],
]

/** Returns a sentence for each violated invariant of a `state.db` with the current schema. */
export function findViolatedInvariants(db: Database, now: Date): string[] {
  return rules.flatMap(([sql, problem]) => {
    const ids = db
      .query<{ id: string }, [Record<string, number>]>(`${sql} LIMIT ${maxReportedIds}`)
      .all(sql.includes('$now') ? { now: now.getTime() } : {})
      .map(({ id }) => id)
    return ids.length === 0 ? [] : [`${problem} ${ids.join(', ')}.`]
  })
}

/** The number of rows of each table. */
export function countRows(db: Database): Record<string, number> {
  return Object.fromEntries(
    tableNamesIn(db)
      .toSorted()
      .map((name) => [name, db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${name}"`).get()!.rows]),
  )
}
