import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { soundState } from '../store/copy.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { writeThrough } from '../store/write-through.ts'
import { StoreError } from '../store/store-error.ts'
import { BackupRefused } from './backup-refused.ts'
import { piecesOf, sumOf, writeWhole } from './bytes.ts'
import { contentsFile, contentsOf, stateFile, type Contents } from './contents.ts'
import { entriesOf, type Entry } from './tar.ts'

const contentsMax_bytes = 16 * 1_048_576
/** What may lie in a folder that counts as empty: the packs may have been brought first, and a disk of its own has this folder. */
const mayBeThere = new Set(['packs', 'lost+found', 'lock'])

/** Reads a backup whole and compares every checksum, then makes a data folder of it. Refuses a folder that is in use or holds anything: nothing is ever written over. */
export function restore(file: string, folder: string, now: Date): Contents {
  return withBackup(file, ({ contents, handle, entries }) => {
    const there = namesIn(folder).filter((name) => !mayBeThere.has(name))
    if (there.length > 0) throw new StoreError(`${folder} is not empty (${there.slice(0, 3).join(', ')}): name a new folder with --data. A folder that is in use is never written over.`)
    const unlock = lockFolder(folder)
    const unfinished = join(folder, `${stateFile}.unfinished`)
    try {
      chmodSync(folder, 0o700)
      pour(handle, entries.get(stateFile)!, unfinished)
      soundState(unfinished, now)
      for (const { name } of contents.files) if (name !== stateFile) pour(handle, entries.get(name)!, join(folder, name))
      writeFileSync(join(folder, contentsFile), `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 })
      renameSync(unfinished, join(folder, stateFile))
      writeThrough(folder)
      return contents
    } finally {
      rmSync(unfinished, { force: true })
      unlock()
    }
  })
}

type Opened = { contents: Contents; handle: number; entries: Map<string, Entry> }

function withBackup<T>(file: string, work: (opened: Opened) => T): T {
  const handle = openedFile(file)
  try {
    return work(verified(handle))
  } catch (error) {
    throw error instanceof BackupRefused && !error.message.includes(file) ? new BackupRefused(`${file}: ${error.message}`, { cause: error }) : error
  } finally {
    closeSync(handle)
  }
}

function openedFile(file: string): number {
  try {
    if (statSync(file).isDirectory()) throw new Error('it is a folder')
    return openSync(file, 'r')
  } catch (cause) {
    throw new BackupRefused(`${file} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

function verified(handle: number): Opened {
  const entries = new Map(entriesOf(handle).map((entry) => [entry.name, entry]))
  const first = entries.get(contentsFile)
  if (!first || first.bytes > contentsMax_bytes) throw new BackupRefused('It is no backup of Fieldstone: it does not say what is in it.')
  const contents = contentsOf(textOf(handle, first))
  for (const { name, bytes, sha256 } of contents.files) {
    const entry = entries.get(name)
    if (!entry || entry.bytes !== bytes || sumOf(handle, entry.from, bytes) !== sha256) throw new BackupRefused(`It is damaged: ${name} in it is not what was backed up. Use another backup.`)
  }
  if (!contents.files.some(({ name }) => name === stateFile)) throw new BackupRefused('It is no backup of Fieldstone: there is no state in it.')
  return { contents, handle, entries }
}

function textOf(handle: number, { from, bytes }: Entry): string {
  const text = Buffer.alloc(bytes)
  readSync(handle, text, 0, bytes, from)
  return text.toString('utf8')
}

function pour(handle: number, { from, bytes }: Entry, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const into = openSync(path, 'w', 0o600)
  try {
    for (const piece of piecesOf(handle, from, bytes)) writeWhole(into, piece)
    fsyncSync(into)
  } finally {
    closeSync(into)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it is made
  }
}
