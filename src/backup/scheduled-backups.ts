import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { isWritable } from '../store/sqlite/read-only.ts'
import type { BackupOptions } from './backup.ts'
import { startBackup } from './storage-worker.ts'

/** The backups that the server makes on a schedule. */
export type ScheduledBackups = {
  /** Makes a backup now and removes the oldest surplus backups. @throws {Error} if the backup fails. */
  create(): Promise<void>
  /** The result of the last backup of this process; null before the first. */
  last(): { at: Date; error: string | null } | null
}

type Deps = {
  folder: string
  keep: number
  backupOptions: Omit<BackupOptions, 'file' | 'work' | 'at'>
  startWorker: () => Worker
  now: () => Date
  log: Log
}

const backupNamePattern = /^fieldstone-\d{8}T\d{6}Z\.tar$/

/** Creates the scheduled backups in `folder`, of which the newest `keep` stay. */
export function createScheduledBackups({ folder, keep, backupOptions, startWorker, now, log }: Deps): ScheduledBackups {
  let last: ReturnType<ScheduledBackups['last']> = null
  return { create, last: () => last }

  async function create(): Promise<void> {
    const at = now()
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, backupFileName(at))
      const { result: pending } = startBackup({ ...backupOptions, file, at }, startWorker)
      const result = await pending
      if (!('backup' in result)) throw new Error('error' in result ? result.error : 'No backup was made.')
      last = { at, error: null }
      log.info('backup_created', result.backup)
      for (const name of surplusBackups(readdirSync(folder), keep)) rmSync(join(folder, name))
    } catch (error) {
      last = { at, error: (error as Error).message }
      throw error
    }
  }
}

/** The file name of a backup. Names sort by time. */
export function backupFileName(at: Date): string {
  return `fieldstone-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`
}

/** The backups in a list of file names, except the newest `keep`. Other files are never included. */
export function surplusBackups(names: readonly string[], keep: number): string[] {
  return names
    .filter((name) => backupNamePattern.test(name))
    .toSorted()
    .slice(0, -keep)
}

/** The time of the newest backup in a folder; null if there is none or the folder cannot be read. */
export function newestBackupTime(folder: string): Date | null {
  try {
    const name = readdirSync(folder)
      .filter((file) => backupNamePattern.test(file))
      .toSorted()
      .at(-1)
    if (name === undefined) return null
    return new Date(name.slice(11, -4).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  } catch {
    return null
  }
}

/** Whether backups can be written to a folder, or a missing folder can be created. Creates nothing. */
export function isBackupFolderWritable(folder: string): boolean {
  if (!existsSync(folder)) return isBackupFolderWritable(dirname(folder))
  return statSync(folder).isDirectory() && isWritable(folder)
}
