import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { copyState } from '../store/copy.ts'
import { isWritable } from '../store/read-only.ts'
import { removeDatabase } from '../store/remove-database.ts'
import { writeThrough } from '../store/write-through.ts'
import { BackupRefused } from './backup-refused.ts'
import { piecesOf, summed, writeWhole } from './bytes.ts'
import { contentsFile, settingsFile, stateFile, type Contents } from './contents.ts'
import { packsIn } from './packs.ts'
import { endOfArchive, fillingOf, headerOf } from './tar.ts'

/** What is to be backed up: the data folder, the folder of packs, the settings without any secret, and the file that is to be. */
export type BackupOrder = { data: string; packs: string; settings: Record<string, string>; version: string; catalog_version: string; file: string; at: Date }

/** What came of it. */
export type BackedUp = { file: string; bytes: number; rows: Record<string, number>; packs: number }

/**
 * Writes one file (a tar archive, readable by its owner alone) with a checked copy of the state, the added layers, the settings, and the list of the
 * packs. Works while the service runs; takes a while, and so belongs into a worker. The name never stands for half a backup.
 */
export function backup({ data, packs, settings, version, catalog_version, file, at }: BackupOrder): BackedUp {
  if (existsSync(file)) throw new BackupRefused(`${file} is there already: name another file, or remove it.`)
  mustTake(dirname(file))
  const [unfinished, copy] = leftoversOf(file)
  try {
    const { state_version, rows } = copyState(join(data, stateFile), copy, at)
    const parts = [
      { name: stateFile, path: copy, ...summed(copy) },
      { name: settingsFile, ...held(Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join('')) },
      ...overlaysIn(join(data, 'catalog.d')).map((name) => ({ name: `catalog.d/${name}`, path: join(data, 'catalog.d', name), ...summed(join(data, 'catalog.d', name)) })),
    ]
    const contents: Contents = {
      format: 'fieldstone-backup-1', made_at: at.toISOString(), version, catalog_version, state_version, rows,
      files: parts.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })), packs: packsIn(packs),
    }
    const first = { name: contentsFile, ...held(`${JSON.stringify(contents, null, 2)}\n`) }
    writeArchive(unfinished, [first, ...parts], at)
    renameSync(unfinished, file)
    writeThrough(dirname(file))
    return { file, bytes: Bun.file(file).size, rows, packs: contents.packs.length }
  } finally {
    removeLeftovers(file)
  }
}

/** Removes what an unfinished backup leaves beside its place. */
export function removeLeftovers(file: string): void {
  const [unfinished, copy] = leftoversOf(file)
  rmSync(unfinished, { force: true })
  removeDatabase(copy)
}

function leftoversOf(file: string): [unfinished: string, copy: string] {
  return [`${file}.unfinished`, `${file}.state`]
}

/** A folder that is made for a slip in its name may lie on the wrong disk. */
function mustTake(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new BackupRefused(`There is no folder ${folder}: make it first, or name a file in another.`)
  if (!isWritable(folder)) throw new BackupRefused(`${folder} cannot be written by this user: name a file in another folder.`)
}

/** What a configuration has that is backed up. */
export function backedUpOf({ data, packs, settings }: Config): Pick<BackupOrder, 'data' | 'packs' | 'settings'> {
  return { data, packs, settings }
}

/** A part of the archive: held in memory, or a file. */
type Part = { name: string; bytes: number } & ({ text: Uint8Array } | { path: string })

function held(text: string): { bytes: number; sha256: string; text: Uint8Array } {
  const bytes = new TextEncoder().encode(text)
  return { text: bytes, bytes: bytes.length, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}

function writeArchive(file: string, parts: Part[], at: Date): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    for (const part of parts) {
      writeWhole(handle, headerOf(part.name, part.bytes, at))
      if ('text' in part) writeWhole(handle, part.text)
      else pour(part.path, part.bytes, handle)
      writeWhole(handle, fillingOf(part.bytes))
    }
    writeWhole(handle, endOfArchive)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function pour(path: string, bytes: number, into: number): void {
  const from = openSync(path, 'r')
  try {
    for (const piece of piecesOf(from, 0, bytes)) writeWhole(into, piece)
  } finally {
    closeSync(from)
  }
}

function overlaysIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.')).toSorted() : []
}
