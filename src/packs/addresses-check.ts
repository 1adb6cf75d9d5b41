import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { openAddressFile } from './addresses-file.ts'
import { PackRefused } from './pack-refused.ts'

/** Looks through a whole address pack: its pages and indexes, and whether it has as many rows as it was written with. Refuses it with what is wrong. */
export function checkAddressPack(path: string): void {
  const file = openAddressFile(path)
  file.close()
  const db = new Database(path, { readonly: true })
  try {
    const found = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(3)').values().map(([line]) => String(line))
    if (found[0] !== 'ok') throw new PackRefused(`SQLite finds it damaged: ${found.join('; ')}.`)
    for (const [table, said] of [['addr', file.about.points], ['range', file.about.ranges]] as const) {
      const { count } = db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!
      if (said !== undefined && count !== Number(said)) throw new PackRefused(`${basename(path)} has ${count} rows in ${table}; it was written with ${said}.`)
    }
  } finally {
    db.close()
  }
}
