import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileErrorText } from '../model/text.ts'
import { verifyRestoredState } from '../store/sqlite/copy-state.ts'
import { lockFolder } from '../store/sqlite/folder-lock.ts'
import { isRestoreUnfinished, unfinishedStateFile } from '../store/sqlite/state-database.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { StoreError } from '../store/storage-error.ts'
import { BackupError } from './backup-error.ts'
import { readFileChunks, sha256OfRange, writeAll } from './file-bytes.ts'
import { manifestFile, parseBackupManifest, stateFile, type BackupManifest } from './backup-manifest.ts'
import { readTarEntries, type TarEntry } from './tar.ts'
import { namesIn } from '../files/small-files.ts'

const maxManifest_bytes = 16 * 1_048_576
/**
 * Names that a new data folder may contain: packs, the lost+found of a mounted disk, our lock file, and the embedded
 * data that the executable unpacks.
 */
const ignoredNames = /^(?:packs|lost\+found|lock|embedded-[0-9a-f]{16}\.(?:bin|gpkg))$/

/**
 * Verifies every checksum of a backup and creates a data folder from it. Returns its manifest. Never overwrites a file,
 * except the files of an interrupted restore. After a failure, the folder is as it was before.
 * @throws {BackupError} if the backup is damaged. @throws {StoreError} if the folder is in use or not empty.
 */
export function restoreBackup(file: string, folder: string, now: Date): BackupManifest {
  return withBackup(file, (backup) => {
    requireNewFolder(folder, isRestoreUnfinished(folder) ? unfinishedNamesIn(folder) : [])
    const unlock = lockFolder(folder)
    try {
      if (isRestoreUnfinished(folder)) removeUnfinishedRestore(folder)
      extractBackup(backup, folder, now)
      return backup.manifest
    } catch (error) {
      removeUnfinishedRestore(folder)
      throw error
    } finally {
      unlock()
    }
  })
}

/**
 * Extracts the files. `state.db.unfinished` exists from the first step to the last, so that a killed restore is
 * recognized. The manifest comes second: it names the files to remove then.
 */
function extractBackup({ manifest, handle, entries }: OpenBackup, folder: string, now: Date): void {
  const unfinished = join(folder, unfinishedStateFile)
  chmodSync(folder, 0o700)
  writeFileSync(unfinished, '', { mode: 0o600 })
  syncToDisk(folder)
  writeFileSync(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  for (const { name } of manifest.files)
    if (name !== stateFile) extractFile(handle, entries.get(name)!, join(folder, name))
  extractFile(handle, entries.get(stateFile)!, unfinished)
  verifyRestoredState(unfinished, now)
  for (const path of foldersOf(manifest, folder)) syncToDisk(path)
  renameSync(unfinished, join(folder, stateFile))
  syncToDisk(folder)
}

/** The folder and its subfolders that have files of the backup. */
function foldersOf({ files }: BackupManifest, folder: string): string[] {
  return [...new Set(files.map(({ name }) => dirname(join(folder, name))))]
}

function requireNewFolder(folder: string, replaceable: readonly string[]): void {
  const existingNames = namesIn(folder).filter((name) => !ignoredNames.test(name) && !replaceable.includes(name))
  if (existingNames.length > 0)
    throw new StoreError(
      `${folder} is not empty (${existingNames.slice(0, 3).join(', ')}). Set --data to a new folder; restore never overwrites files.`,
    )
}

/** The names in the folder that only an interrupted restore wrote. */
function unfinishedNamesIn(folder: string): string[] {
  const written = new Set(writtenFilesOf(folder))
  const isOurs = (name: string) =>
    written.has(name) ||
    (namesIn(join(folder, name)).length > 0 && namesIn(join(folder, name)).every((it) => written.has(`${name}/${it}`)))
  return namesIn(folder).filter(isOurs)
}

function removeUnfinishedRestore(folder: string): void {
  const written = writtenFilesOf(folder)
  for (const name of written) if (name !== unfinishedStateFile) rmSync(join(folder, name), { force: true })
  for (const path of new Set(written.map((name) => dirname(join(folder, name)))))
    if (path !== folder && existsSync(path) && namesIn(path).length === 0) rmdirSync(path)
  // Last, so that the rest can be removed again if this is interrupted.
  rmSync(join(folder, unfinishedStateFile), { force: true })
}

/** The files that a restore into the folder writes, according to its manifest, which it writes first. */
function writtenFilesOf(folder: string): string[] {
  return [unfinishedStateFile, manifestFile, ...manifestFilesIn(folder)]
}

function manifestFilesIn(folder: string): string[] {
  try {
    const { files } = parseBackupManifest(readFileSync(join(folder, manifestFile), 'utf8'))
    return files.map(({ name }) => name).filter((name) => name !== stateFile)
  } catch {
    return [] // the manifest was not written, so no other file was
  }
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
    throw new BackupError(`Cannot read ${file}: ${fileErrorText(cause)}.`, { cause })
  }
}

function verifyBackup(handle: number): OpenBackup {
  const entries = new Map(
    readTarEntries(handle, { what: 'backup', entriesMax: 1000 }).map((entry) => [entry.name, entry]),
  )
  const manifestEntry = entries.get(manifestFile)
  if (!manifestEntry || manifestEntry.bytes > maxManifest_bytes)
    throw new BackupError('Not a Fieldstone backup: it has no backup.json.')
  const manifest = parseBackupManifest(textOf(handle, manifestEntry))
  for (const { name, bytes, sha256 } of manifest.files) {
    const entry = entries.get(name)
    if (!entry || entry.bytes !== bytes || sha256OfRange(handle, entry.offset, bytes) !== sha256)
      throw new BackupError(`Damaged backup: the checksum of ${name} does not match. Use another backup.`)
  }
  if (!manifest.files.some(({ name }) => name === stateFile))
    throw new BackupError('Not a Fieldstone backup: it has no state.db.')
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
    for (const chunk of readFileChunks(handle, offset, bytes)) writeAll(target, chunk)
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}
