import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { isWritable } from '../store/read-only.ts'
import type { BackupOptions } from './backup.ts'
import { runStorageJob } from './storage-worker.ts'

/** The backups that are made by the clock. */
export type ScheduledBackups = {
  /** Makes one now, and removes the oldest of its own that are too many. Throws when it cannot be made. */
  create(): Promise<void>
  /** How the last one of this process went; null before the first. */
  last(): { at: Date; error: string | null } | null
}

type Deps = {
  folder: string
  keep: number
  backupOptions: Omit<BackupOptions, 'file' | 'at'>
  startWorker: () => Worker
  now: () => Date
  log: Log
}

const backupNamePattern = /^fieldstone-\d{8}T\d{6}Z\.tar$/

export function createScheduledBackups({ folder, keep, backupOptions, startWorker, now, log }: Deps): ScheduledBackups {
  let last: ReturnType<ScheduledBackups['last']> = null
  return { create, last: () => last }

  async function create(): Promise<void> {
    const at = now()
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const result = await runStorageJob(
        { backup: { ...backupOptions, file: join(folder, backupFileName(at)), at } },
        startWorker,
      )
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

/** The name of a backup: names that are later stand behind. */
export function backupFileName(at: Date): string {
  return `fieldstone-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`
}

/** Of the files of a folder, our backups beyond the newest so many. Nothing else is ever named. */
export function surplusBackups(names: readonly string[], keep: number): string[] {
  return names
    .filter((name) => backupNamePattern.test(name))
    .toSorted()
    .slice(0, -keep)
}

/** When the newest backup of a folder was made; null when there is none, or the folder cannot be read. */
export function newestBackupTime(folder: string): Date | null {
  try {
    const name = readdirSync(folder)
      .filter((it) => backupNamePattern.test(it))
      .toSorted()
      .at(-1)
    if (name === undefined) return null
    return new Date(name.slice(11, -4).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  } catch {
    return null
  }
}

/** Whether backups can be written into a folder; one that is not there yet is made where it can be. Looks, and makes nothing. */
export function isBackupFolderWritable(folder: string): boolean {
  if (!existsSync(folder)) return isBackupFolderWritable(dirname(folder))
  return statSync(folder).isDirectory() && isWritable(folder)
}
