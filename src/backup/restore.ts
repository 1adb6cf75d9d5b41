import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { verifyState } from '../store/copy-state.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { StoreError } from '../store/store-error.ts'
import { BackupError } from './backup-error.ts'
import { readFileChunks, sha256OfRange, writeAll } from './file-bytes.ts'
import { manifestFile, parseBackupManifest, stateFile, type BackupManifest } from './backup-manifest.ts'
import { readTarEntries, type TarEntry } from './tar.ts'

const maxManifest_bytes = 16 * 1_048_576
/** What may lie in a folder that counts as empty: the packs may have been brought first, and a disk of its own has this folder. */
const ignoredNames = new Set(['packs', 'lost+found', 'lock'])

/** Reads a backup whole and compares every checksum, then makes a data folder of it. Refuses a folder that is in use or holds anything: nothing is ever written over. */
export function restoreBackup(file: string, folder: string, now: Date): BackupManifest {
  return withBackup(file, ({ manifest, handle, entries }) => {
    const existingNames = namesIn(folder).filter((name) => !ignoredNames.has(name))
    if (existingNames.length > 0)
      throw new StoreError(
        `${folder} is not empty (${existingNames.slice(0, 3).join(', ')}): name a new folder with --data. A folder that is in use is never written over.`,
      )
    const unlock = lockFolder(folder)
    const unfinished = join(folder, `${stateFile}.unfinished`)
    try {
      chmodSync(folder, 0o700)
      extractFile(handle, entries.get(stateFile)!, unfinished)
      verifyState(unfinished, now)
      for (const { name } of manifest.files)
        if (name !== stateFile) extractFile(handle, entries.get(name)!, join(folder, name))
      writeFileSync(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
      renameSync(unfinished, join(folder, stateFile))
      syncToDisk(folder)
      return manifest
    } finally {
      rmSync(unfinished, { force: true })
      unlock()
    }
  })
}

type OpenBackup = { manifest: BackupManifest; handle: number; entries: Map<string, TarEntry> }

function withBackup<T>(file: string, work: (opened: OpenBackup) => T): T {
  const handle = openBackupFile(file)
  try {
    return work(verifyBackup(handle))
  } catch (error) {
    throw error instanceof BackupError && !error.message.includes(file)
      ? new BackupError(`${file}: ${error.message}`, { cause: error })
      : error
  } finally {
    closeSync(handle)
  }
}

function openBackupFile(file: string): number {
  try {
    if (statSync(file).isDirectory()) throw new Error('it is a folder')
    return openSync(file, 'r')
  } catch (cause) {
    throw new BackupError(`${file} cannot be read: ${(cause as Error).message}.`, { cause })
  }
}

function verifyBackup(handle: number): OpenBackup {
  const entries = new Map(readTarEntries(handle).map((entry) => [entry.name, entry]))
  const manifestEntry = entries.get(manifestFile)
  if (!manifestEntry || manifestEntry.bytes > maxManifest_bytes)
    throw new BackupError('It is no backup of Fieldstone: it does not say what is in it.')
  const manifest = parseBackupManifest(textOf(handle, manifestEntry))
  for (const { name, bytes, sha256 } of manifest.files) {
    const entry = entries.get(name)
    if (!entry || entry.bytes !== bytes || sha256OfRange(handle, entry.offset, bytes) !== sha256)
      throw new BackupError(`It is damaged: ${name} in it is not what was backed up. Use another backup.`)
  }
  if (!manifest.files.some(({ name }) => name === stateFile))
    throw new BackupError('It is no backup of Fieldstone: there is no state in it.')
  return { manifest, handle, entries }
}

function textOf(handle: number, { offset, bytes }: TarEntry): string {
  const text = Buffer.alloc(bytes)
  readSync(handle, text, 0, bytes, offset)
  return text.toString('utf8')
}

function extractFile(handle: number, { offset, bytes }: TarEntry, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const target = openSync(path, 'w', 0o600)
  try {
    for (const piece of readFileChunks(handle, offset, bytes)) writeAll(target, piece)
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it is made
  }
}
