import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { openAddressPack } from './address-pack.ts'
import { PackError } from '../pack-error.ts'

/** Looks through a whole address pack: its pages and indexes, and whether it has as many rows as it was written with. Refuses it with what is wrong. */
export function verifyAddressPack(path: string): void {
  const pack = openAddressPack(path)
  pack.close()
  const db = new Database(path, { readonly: true })
  try {
    const found = db
      .query<{ integrity_check: string }, []>('PRAGMA integrity_check(3)')
      .values()
      .map(([line]) => String(line))
    if (found[0] !== 'ok') throw new PackError(`SQLite finds it damaged: ${found.join('; ')}.`)
    for (const [table, declared] of [
      ['addr', pack.metadata.points],
      ['range', pack.metadata.ranges],
    ] as const) {
      const { count } = db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!
      if (declared !== undefined && count !== Number(declared))
        throw new PackError(`${basename(path)} has ${count} rows in ${table}; it was written with ${declared}.`)
    }
  } finally {
    db.close()
  }
}
