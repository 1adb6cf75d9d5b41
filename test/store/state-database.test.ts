import type { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { isDatabaseReadable, openState } from '../../src/store/sqlite/state-database.ts'
import { lockFolder } from '../../src/store/sqlite/folder-lock.ts'
import { migrations } from '../../src/store/migrations.ts'
import { StoreError } from '../../src/store/storage-error.ts'
import { addTokens } from './add-tokens.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const pragma = (db: Database, name: string) =>
  Object.values(db.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get()!)[0]

const addOwner = (db: Database) =>
  createSqliteStore(db).people.addAccount({ id: 'owner', name: 'owner', created_at: 0, scopes: null })

/** The bytes of a state.db with an account and many tokens, closed properly. */
function ours(change: (db: Database) => void = () => {}): Uint8Array<ArrayBuffer> {
  const folder = newFolder()
  const db = openState(folder)
  addTokens(db, 500)
  change(db)
  db.close()
  return new Uint8Array(readFileSync(join(folder, 'state.db')))
}

describe('a new state.db', () => {
  test('and its folder can be read only by the owner', async () => {
    const folder = join(newFolder(), 'deep', 'data')
    const db = openState(folder)
    await addOwner(db)
    expect(modeOf(folder)).toBe('700')
    expect(
      readdirSync(folder)
        .toSorted()
        .map((name) => [name, modeOf(join(folder, name))]),
    ).toEqual([
      ['state.db', '600'],
      ['state.db-shm', '600'],
      ['state.db-wal', '600'],
    ])
    db.close()
  })

  test('has an application id and a schema version, and syncs every commit', () => {
    const db = openState(newFolder())
    expect(
      ['application_id', 'user_version', 'journal_mode', 'synchronous', 'foreign_keys'].map((name) => pragma(db, name)),
    ).toEqual([0x4653544e, migrations.length, 'wal', 2, 1])
    expect(isDatabaseReadable(db)).toBe(true)
    db.close()
    expect(isDatabaseReadable(db)).toBe(false)
  })

  test('persists its rows', async () => {
    const folder = newFolder()
    const first = openState(folder)
    expect(await addOwner(first)).toBe(true)
    first.close()
    const second = openState(folder)
    expect(await addOwner(second)).toBe(false)
    second.close()
  })

  test('rejects duplicate tokens, and tokens of unknown accounts', async () => {
    const db = openState(newFolder())
    const { access } = createSqliteStore(db)
    await addOwner(db)
    const token = {
      account_id: 'owner',
      hash: new Uint8Array([1]),
      last_four: 'abcd',
      name: 'x',
      scopes: 'fetch',
      created_at: 0,
      expires_at: null,
      parent_id: null,
    }
    await access.addToken(token)
    await access.addToken({ ...token, name: 'y' })
    expect(db.query('SELECT name FROM tokens').all()).toEqual([{ name: 'x' }])
    const foreign = access.addToken({ ...token, account_id: 'nobody', hash: new Uint8Array([2]) })
    expect(await foreign.catch(String)).toContain('FOREIGN KEY')
    db.close()
  })
})

describe('a state.db that cannot be used', () => {
  const whole = ours()
  const overwritten = (from: number, length: number) => whole.slice().fill(0xa5, from, from + length)
  const refused: [name: string, bytes: Uint8Array<ArrayBuffer>, reason: RegExp][] = [
    ['of no bytes', new Uint8Array(), /not a Fieldstone database/],
    ['of text', new TextEncoder().encode('this is not a database, it is a letter to my mother'), /not a database/],
    ['of one byte', new Uint8Array([0x53]), /not a Fieldstone database/],
    ['of random bytes', new Uint8Array(8192).map((_, i) => (i * 7919) % 251), /not a database/],
    [
      'of another program',
      ours((db) => db.run('PRAGMA application_id = 42')),
      /not a Fieldstone database \(application id 42\)/,
    ],
    [
      'of a newer Fieldstone',
      ours((db) => db.run(`PRAGMA user_version = ${migrations.length + 1}`)),
      /newer Fieldstone/,
    ],
    ['cut in its header', whole.slice(0, 60), /state\.db/],
    ['cut after its header', whole.slice(0, 100), /state\.db/],
    ['cut after a page', whole.slice(0, 4096), /damaged|malformed/],
    ['cut in the middle', whole.slice(0, whole.length / 2), /damaged|malformed/],
    ['cut before its last page', whole.slice(0, -4096), /damaged|malformed/],
    ['cut in its last page', whole.slice(0, -100), /damaged|malformed/],
    ['overwritten in its header', overwritten(0, 16), /not a database/],
    ['overwritten in its schema', overwritten(100, 900), /damaged|malformed/],
    ['overwritten in a table', overwritten(whole.length - 8192, 4096), /damaged|malformed/],
  ]
  test.each(refused)('%s is rejected and not changed', (_name, bytes, reason) => {
    const folder = newFolder()
    const file = join(folder, 'state.db')
    writeFileSync(file, bytes)
    const opening = () => openState(folder)
    expect(opening).toThrow(StoreError)
    expect(opening).toThrow(reason)
    expect(new Uint8Array(readFileSync(file))).toEqual(bytes)
  })

  test('is opened if it is intact', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'state.db'), whole)
    const db = openState(folder)
    expect(db.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 500 })
    db.close()
  })

  test('is not changed, and neither is its journal', () => {
    const folder = newFolder()
    const writer = openState(folder)
    writer.run('PRAGMA wal_autocheckpoint = 0')
    writer.run('PRAGMA user_version = 99')
    const copy = newFolder()
    for (const name of ['state.db', 'state.db-wal']) writeFileSync(join(copy, name), readFileSync(join(folder, name)))
    const before = ['state.db', 'state.db-wal'].map((name) => Bun.hash(readFileSync(join(copy, name))))
    writer.close()
    expect(() => openState(copy)).toThrow(/newer Fieldstone/)
    expect(['state.db', 'state.db-wal'].map((name) => Bun.hash(readFileSync(join(copy, name))))).toEqual(before)
  })

  test('is rejected if it is a folder, or if its folder is a file', () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'state.db'))
    writeFileSync(join(folder, 'file'), '')
    expect(() => openState(folder)).toThrow(StoreError)
    expect(() => openState(join(folder, 'file'))).toThrow(StoreError)
    expect(() => openState(join(folder, 'file', 'data'))).toThrow(StoreError)
  })
})

describe('the lock of a data folder', () => {
  test('is held by one process at a time, and can be taken again after its release', () => {
    const folder = join(newFolder(), 'data')
    const unlock = lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow(StoreError)
    expect(() => lockFolder(folder)).toThrow(/Another Fieldstone process is using/)
    unlock()
    lockFolder(folder)()
    expect(modeOf(folder)).toBe('700')
  })

  test('of one folder does not lock another folder', () => {
    const unlocks = [lockFolder(newFolder()), lockFolder(newFolder())]
    for (const unlock of unlocks) unlock()
    expect(unlocks).toHaveLength(2)
  })

  test('does not prevent others from reading and writing state.db', () => {
    const folder = newFolder()
    const unlock = lockFolder(folder)
    const db = openState(folder)
    expect(existsSync(join(folder, 'state.db'))).toBe(true)
    db.close()
    unlock()
  })

  test('in a folder that cannot be created is rejected', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'file'), '')
    expect(() => lockFolder(join(folder, 'file', 'data'))).toThrow(StoreError)
  })
})
