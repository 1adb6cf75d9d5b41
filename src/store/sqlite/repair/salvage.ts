import type { Database } from 'bun:sqlite'

/** A row of a damaged table. */
export type SalvagedRow = Record<string, string | number | bigint | Uint8Array | null>

const maxRowid = 2 ** 48

/**
 * Calls `onRow` for every readable row of a damaged table, some rows twice. Returns true if some rows could not be
 * read.
 */
export function salvage(
  db: Database,
  table: string,
  runs: readonly number[],
  onRow: (row: SalvagedRow) => void,
): boolean {
  const name = quoted(table)
  return hasRowid(db, name) ? byRowid(db, name, onRow) : byKey(db, name, runs, onRow)
}

function hasRowid(db: Database, name: string): boolean {
  try {
    db.query(`SELECT rowid FROM ${name} LIMIT 0`).all()
    return true
  } catch {
    return false // WITHOUT ROWID; SQLite offers no other test
  }
}

/**
 * Reads by rowid. After an unreadable page, finds the next readable row by doubling the distance, then by bisection.
 */
function byRowid(db: Database, name: string, onRow: (row: SalvagedRow) => void): boolean {
  const rowsFrom = db.query<SalvagedRow & { salvaged_id: number }, [number]>(
    `SELECT rowid AS salvaged_id, * FROM ${name} NOT INDEXED WHERE rowid >= ? ORDER BY rowid`,
  )
  const canBegin = (at: number) =>
    isReadable(() =>
      db.query(`SELECT rowid, * FROM ${name} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1`).all(at),
    )
  let isDamaged = false
  for (let at = -maxRowid; at < maxRowid;) {
    let last = at - 1
    const isComplete = isReadable(() => {
      for (const { salvaged_id, ...row } of rowsFrom.iterate(at)) {
        onRow(row)
        last = salvaged_id
      }
    })
    if (isComplete) break
    isDamaged = true
    at = nextReadable(Math.max(last + 1, 0), canBegin)
  }
  return isDamaged
}

function nextReadable(from: number, canBegin: (at: number) => boolean): number {
  let [unreadable, readable] = [from, from + 1]
  while (!canBegin(readable)) {
    unreadable = readable
    readable = from + 2 * (readable - from)
    if (readable >= maxRowid) return maxRowid
  }
  while (readable - unreadable > 1) {
    const middle = Math.floor((unreadable + readable) / 2)
    if (canBegin(middle)) readable = middle
    else unreadable = middle
  }
  return readable
}

/** Reads a WITHOUT ROWID table from both ends. If its key begins with a run, reads each run from both ends. */
function byKey(db: Database, name: string, runs: readonly number[], onRow: (row: SalvagedRow) => void): boolean {
  const columns = db.query<{ name: string; pk: number }, []>(`PRAGMA table_info(${name})`).all()
  const key = columns
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map((column) => quoted(column.name))
  const ordered = (direction: 'ASC' | 'DESC') => key.map((column) => `${column} ${direction}`).join(', ')
  const read = (sql: string, ...values: number[]) =>
    isReadable(() => {
      for (const row of db.query<SalvagedRow, number[]>(sql).iterate(...values)) onRow(row)
    })
  if (read(`SELECT * FROM ${name} ORDER BY ${ordered('ASC')}`)) return false
  read(`SELECT * FROM ${name} ORDER BY ${ordered('DESC')}`)
  if (key[0] !== '"run"') return true
  for (const run of runs)
    for (const direction of ['ASC', 'DESC'] as const)
      read(`SELECT * FROM ${name} WHERE run = ? ORDER BY ${ordered(direction)}`, run)
  return true
}

/** Quotes a name from a damaged file, which may contain anything. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function isReadable(read: () => void): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) return false
    throw error
  }
}
