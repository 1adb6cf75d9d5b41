/**
 * Copies that outlive a machine: backups of the state, restored while it is checked, and the installation of packs in
 * one step.
 */
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { copyState } from '../store/sqlite/copy-state.ts'
import { isWritable } from '../store/sqlite/read-only.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { BackupError } from './backup-error.ts'
import { sha256AndSizeOf } from './file-bytes.ts'
import { manifestFile, settingsFile, stateFile, type BackupManifest } from './backup-manifest.ts'
import { inMemoryMember, writeArchive } from './tar.ts'
import { isRecord } from '../model/record.ts'
import { listPackPaths } from '../packs/part-files.ts'
import { tryReadJson } from '../files/small-files.ts'

/** The input of a backup: the data folder, the pack folder, the settings without secrets, and the output file. */
export type BackupOptions = {
  data: string
  packs: string
  settings: Record<string, string>
  version: string
  catalog_version: string
  file: string
  /** A folder for unfinished files, on the disk of the output file. */
  work: string
  at: Date
}

/** A finished backup. */
export type BackupResult = { file: string; bytes: number; rows: Record<string, number>; packs: number }

/**
 * Writes a tar archive, readable only by its owner, with a verified copy of the database, the local layers, the
 * settings and a list of the packs. Works while the server runs. It blocks the thread for seconds: run it in a worker.
 * The output file appears only when it is complete. @throws {BackupError | StoreError}
 */
export function createBackup({ data, packs, settings, file, work, at, ...versions }: BackupOptions): BackupResult {
  const [unfinished, copy] = [join(work, 'backup.tar'), join(work, stateFile)]
  const { state_version, rows } = copyState(join(data, stateFile), copy, at)
  const parts = [
    { name: stateFile, path: copy, ...sha256AndSizeOf(copy) },
    {
      name: settingsFile,
      ...inMemoryMember(
        Object.entries(settings)
          .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
          .join(''),
      ),
    },
    ...layerNamesIn(join(data, 'catalog.d')).map((name) => ({
      name: `catalog.d/${name}`,
      path: join(data, 'catalog.d', name),
      ...sha256AndSizeOf(join(data, 'catalog.d', name)),
    })),
  ]
  const manifest: BackupManifest = {
    format: 'fieldstone-backup-1',
    created_at: at.toISOString(),
    version: versions.version,
    catalog_version: versions.catalog_version,
    state_version,
    rows,
    files: parts.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    packs: listPackFiles(packs),
  }
  const manifestPart = { name: manifestFile, ...inMemoryMember(`${JSON.stringify(manifest, null, 2)}\n`) }
  writeArchive(unfinished, [manifestPart, ...parts], at)
  renameSync(unfinished, file)
  syncToDisk(dirname(file))
  return { file, bytes: Bun.file(file).size, rows, packs: manifest.packs.length }
}

/** Requires that the file does not exist and can be created. @throws {BackupError} */
export function requireNewBackupFile(file: string): void {
  if (existsSync(file)) throw new BackupError(`${file} already exists. Remove it, or choose another file.`)
  requireWritableFolder(dirname(file))
}

/** Requires the folder to exist: creating a misspelled folder could write to the wrong disk. */
function requireWritableFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new BackupError(`The target folder ${folder} does not exist. Create it, or choose another folder.`)
  if (!isWritable(folder))
    throw new BackupError(`The target folder ${folder} is not writable for this user. Choose another folder.`)
}

/** The backup options that come from the configuration. */
export function backupOptionsOf({ data, packs, settings }: Config): Pick<BackupOptions, 'data' | 'packs' | 'settings'> {
  return { data, packs, settings }
}

/** The file names of the local layers in a folder. */
export function layerNamesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
        .toSorted()
    : []
}

/**
 * Larger packs without a checksum in their manifest are not hashed: that would take longer than the rest of the backup.
 */
const maxHashed_bytes = 256 * 1_048_576

/** Lists the packs in a folder. The checksum comes from the manifest of the pack, if it has one. */
function listPackFiles(folder: string): BackupManifest['packs'] {
  return pathsIn(folder).map((name) => {
    const path = join(folder, name)
    const { size } = statSync(path)
    return {
      name,
      bytes: size,
      sha256:
        manifestChecksum(path.replace(/\.\w+$/, '.json')) ??
        (size <= maxHashed_bytes ? sha256AndSizeOf(path).sha256 : null),
    }
  })
}

function manifestChecksum(manifest: string): string | null {
  // Without a readable manifest, the caller hashes the pack.
  const value = tryReadJson(manifest)
  return isRecord(value) && typeof value.sha256 === 'string' && /^[0-9a-f]{64}$/i.test(value.sha256)
    ? value.sha256.toLowerCase()
    : null
}

function pathsIn(folder: string): string[] {
  try {
    return listPackPaths(folder)
  } catch {
    return [] // the folder does not exist
  }
}
