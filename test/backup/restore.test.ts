import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBackup } from '../../src/backup/backup.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { createAuditTable } from '../../src/store/audit-tables.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { verifyState } from '../../src/store/sqlite/copy-state.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()
let folders = 0
const newFolder = () => join(root, `folder-${folders++}`)
const now = new Date('2026-11-22T12:00:00Z')

/** Backs up a data folder with a local layer, settings and an account. `change` changes its database before. */
function backupOf(change: (db: Database) => void = () => {}): string {
  const data = newFolder()
  const db = openState(data)
  db.run("INSERT INTO accounts (id, name, created_at) VALUES ('owner', 'owner', 1)")
  change(db)
  db.close()
  mkdirSync(join(data, 'catalog.d'))
  for (const name of ['a.json', 'b.json']) writeFileSync(join(data, 'catalog.d', name), '{"datasets":{},"fields":{}}')
  const file = join(root, `backup-${folders}.tar`)
  const settings = { FIELDSTONE_PORT: '8080' }
  const work = newFolder()
  mkdirSync(work)
  createBackup({ data, packs: join(data, 'packs'), settings, version: '1', catalog_version: '1', file, work, at: now })
  return file
}

const file = backupOf()
const namesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String).toSorted()
const restored = newFolder()
restoreBackup(file, restored, now)
const complete = namesIn(restored)

/**
 * The folders that a killed restore can leave: with its first files only, in the order in which it writes them. A file
 * may be cut.
 */
const order = ['state.db.unfinished', 'backup.json', 'settings.env', 'catalog.d/a.json', 'catalog.d/b.json']
const killed = order.flatMap((_, written) =>
  [false, true].map((isCut) => {
    const folder = newFolder()
    mkdirSync(join(folder, 'catalog.d'), { recursive: true })
    for (const name of order.slice(0, written + 1))
      writeFileSync(join(folder, name), name === 'state.db.unfinished' ? '' : readFileSync(join(restored, name)))
    if (isCut) truncateSync(join(folder, order[written]!))
    if (namesIn(join(folder, 'catalog.d')).length === 0) rmSync(join(folder, 'catalog.d'), { recursive: true })
    return [`${order[written]}${isCut ? ', cut' : ''}`, folder] as const
  }),
)

describe('after a restore that was killed at', () => {
  test.each(killed)('%s, the folder is refused with what to do, and restoring again works', (_name, folder) => {
    const before = namesIn(folder)
    expect(() => openState(folder)).toThrow(
      `A restore into ${folder} was interrupted, so its data is incomplete. Nothing was changed. Run \`fieldstone restore <file> --data ${folder}\` again`,
    )
    expect(namesIn(folder)).toEqual(before)
    restoreBackup(file, folder, now)
    expect(namesIn(folder)).toEqual(complete)
    const db = openState(folder)
    expect(db.query('SELECT name FROM accounts').all()).toEqual([{ name: 'owner' }])
    db.close()
  })

  test('the first files, a file that somebody added stays, and restoring again names it', () => {
    const [, folder] = killed.at(-1)!
    rmSync(folder, { recursive: true })
    mkdirSync(join(folder, 'catalog.d'), { recursive: true })
    writeFileSync(join(folder, 'state.db.unfinished'), '')
    writeFileSync(join(folder, 'backup.json'), readFileSync(join(restored, 'backup.json')))
    writeFileSync(join(folder, 'catalog.d', 'mine.json'), '{}')
    expect(() => restoreBackup(file, folder, now)).toThrow(`${folder} is not empty (catalog.d).`)
    expect(existsSync(join(folder, 'catalog.d', 'mine.json'))).toBe(true)
  })
})

test('a restore that fails leaves the folder as it was before', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'packs'), { recursive: true })
  const damaged = backupOf((db) => db.run('CREATE VIEW v AS SELECT 1'))
  expect(() => restoreBackup(damaged, folder, now)).toThrow('it has the view v')
  expect(namesIn(folder)).toEqual(['lock', 'packs'])
})

describe('a backup whose database has', () => {
  test.each([
    [
      'a foreign trigger',
      "CREATE TRIGGER t AFTER INSERT ON tokens BEGIN UPDATE tokens SET scopes = 'admin'; END",
      'the trigger t',
    ],
    ['a foreign view', 'CREATE VIEW v AS SELECT * FROM tokens', 'the view v'],
    ['a foreign virtual table', 'CREATE VIRTUAL TABLE f USING fts5(x)', 'the virtual table f'],
    [
      'a generated column',
      'ALTER TABLE tokens ADD COLUMN g TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000000))) VIRTUAL',
      'the column g TEXT 2  of tokens',
    ],
  ])('%s is refused', (_name, sql, part) => {
    const changed = backupOf((db) => db.run(sql))
    expect(() => restoreBackup(changed, newFolder(), now)).toThrow(
      `The database of this backup was changed by another program: it has ${part}. Nothing was restored.`,
    )
  })

  test('the month tables of the audit and a table of a replication tool is restored', () => {
    const folder = newFolder()
    const changed = backupOf((db) => {
      db.run(createAuditTable('2026-11'))
      db.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
    })
    restoreBackup(changed, folder, now)
    expect(verifyState(join(folder, 'state.db'), now).rows).toMatchObject({
      _litestream_seq: 0,
      geocode_audit_2026_11: 0,
    })
  })
})
