import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import { isWritable } from '../store/read-only.ts'
import type { BackupOrder } from './backup.ts'
import { ordered } from './storage-worker.ts'

/** The backups that are made by the clock. */
export type Backups = {
  /** Makes one now, and removes the oldest of its own that are too many. Throws when it cannot be made. */
  make(): Promise<void>
  /** How the last one of this process went; null before the first. */
  last(): { at: Date; failed: string | null } | null
}

type Means = { folder: string; keep: number; about: Omit<BackupOrder, 'file' | 'at'>; startWorker: () => Worker; now: () => Date; log: Log }

const ours = /^fieldstone-\d{8}T\d{6}Z\.tar$/

export function openBackups({ folder, keep, about, startWorker, now, log }: Means): Backups {
  let last: ReturnType<Backups['last']> = null
  return { make, last: () => last }

  async function make(): Promise<void> {
    const at = now()
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const answer = await ordered({ backup: { ...about, file: join(folder, nameOf(at)), at } }, startWorker)
      if (!('backedUp' in answer)) throw new Error('failed' in answer ? answer.failed : 'No backup was made.')
      last = { at, failed: null }
      log.info('backup_created', answer.backedUp)
      for (const name of surplus(readdirSync(folder), keep)) rmSync(join(folder, name))
    } catch (error) {
      last = { at, failed: (error as Error).message }
      throw error
    }
  }
}

/** The name of a backup: names that are later stand behind. */
export function nameOf(at: Date): string {
  return `fieldstone-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`
}

/** Of the files of a folder, our backups beyond the newest so many. Nothing else is ever named. */
export function surplus(names: readonly string[], keep: number): string[] {
  return names.filter((name) => ours.test(name)).toSorted().slice(0, -keep)
}

/** When the newest backup of a folder was made; null when there is none, or the folder cannot be read. */
export function newestIn(folder: string): Date | null {
  try {
    const name = readdirSync(folder).filter((it) => ours.test(it)).toSorted().at(-1)
    if (name === undefined) return null
    return new Date(name.slice(11, -4).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  } catch {
    return null
  }
}

/** Whether backups can be written into a folder; one that is not there yet is made where it can be. Looks, and makes nothing. */
export function takesBackups(folder: string): boolean {
  if (!existsSync(folder)) return takesBackups(dirname(folder))
  return statSync(folder).isDirectory() && isWritable(folder)
}
