import type { Database } from 'bun:sqlite'

const maxReportedIds = 3

/** What SQLite cannot know of our rows: what a run counts is what is there, and a file of a run has all its pieces. A run past its time may be half removed. */
const rules: readonly (readonly [sql: string, says: string])[] = [
  ['SELECT "table" AS id FROM pragma_foreign_key_check', 'rows without what they belong to, in'],
  [
    'SELECT id FROM runs r WHERE expires_at > $now AND done <> (SELECT count(*) FROM run_results WHERE run = r.number)',
    'results that are not as many as counted, in',
  ],
  [
    'SELECT id FROM runs r WHERE expires_at > $now AND ok <> (SELECT coalesce(sum(ok), 0) FROM run_results WHERE run = r.number)',
    'results that are not as well as counted, in',
  ],
  [
    'SELECT id FROM runs r WHERE expires_at > $now AND again <> (SELECT coalesce(sum(again), 0) FROM run_results WHERE run = r.number)',
    'results to be tried again that are not as many as counted, in',
  ],
  [
    'SELECT id FROM runs r WHERE expires_at > $now AND total <> (SELECT count(*) FROM run_locations WHERE run = r.number)',
    'locations that are not as many as counted, in',
  ],
  [
    `SELECT r.id || '/' || a.name AS id FROM run_artifacts a JOIN runs r ON r.number = a.run
    WHERE r.expires_at > $now AND a.bytes <> (SELECT coalesce(sum(length(bytes)), 0) FROM run_chunks c WHERE c.run = a.run AND c.name = a.name)`,
    'pieces that are missing, in',
  ],
]

/** The rules that do not hold in a `state.db` of the present version, each a sentence. */
export function findViolatedInvariants(db: Database, now: Date): string[] {
  return rules.flatMap(([sql, problem]) => {
    const ids = db
      .query<{ id: string }, [Record<string, number>]>(`${sql} LIMIT ${maxReportedIds}`)
      .all(sql.includes('$now') ? { now: now.getTime() } : {})
      .map(({ id }) => id)
    return ids.length === 0 ? [] : [`There are ${problem} ${ids.join(', ')}.`]
  })
}

/** How many rows each table has. */
export function countRows(db: Database): Record<string, number> {
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${name}"`).get()!.rows,
    ]),
  )
}
