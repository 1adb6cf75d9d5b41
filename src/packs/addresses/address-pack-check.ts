import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { openAddressPack } from './address-pack.ts'
import { PackError } from '../pack-error.ts'

/**
 * Checks a complete address pack: its pages, its indexes, and its row counts against the metadata.
 * @throws PackError that says what is wrong.
 */
export function verifyAddressPack(path: string): void {
  const pack = openAddressPack(path)
  pack.close()
  const db = new Database(path, { readonly: true })
  try {
    const found = db
      .query<{ integrity_check: string }, []>('PRAGMA integrity_check(3)')
      .values()
      .map(([line]) => String(line))
    if (found[0] !== 'ok') throw new PackError(`${basename(path)} is corrupt. SQLite reports: ${found.join('; ')}.`)
    for (const [table, declared] of [
      ['addr', pack.metadata.points],
      ['range', pack.metadata.ranges],
    ] as const) {
      const { count } = db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!
      if (declared !== undefined && count !== Number(declared))
        throw new PackError(`${basename(path)} has ${count} rows in ${table}, but its metadata says ${declared}.`)
    }
  } finally {
    db.close()
  }
}
