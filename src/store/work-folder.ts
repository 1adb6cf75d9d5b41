import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { lockFolder } from './sqlite/folder-lock.ts'
import { StoreError } from './storage-error.ts'
import { namesIn } from '../files/small-files.ts'

/** A folder for the unfinished files of a pack or a backup, beside their target. */
export type WorkFolder = {
  path: string
  /** Removes the folder with its files. */
  remove(): void
}

const prefix = '.fieldstone-work-'

/** Creates a work folder. Its lock ends with the process, so that a later start recognizes an abandoned one. */
export function createWorkFolder(parent: string): WorkFolder {
  // It gets its name when it is locked: a start must not take it for an abandoned one.
  const unlocked = mkdtempSync(join(parent, '.fieldstone-new-'))
  const unlock = lockNewFolder(unlocked)
  const path = join(parent, prefix + basename(unlocked).slice(-6))
  renameSync(unlocked, path)
  return {
    path,
    remove() {
      unlock()
      rmSync(path, { recursive: true, force: true })
    },
  }
}

function lockNewFolder(path: string): () => void {
  try {
    return lockFolder(path)
  } catch (error) {
    rmSync(path, { recursive: true, force: true })
    throw error
  }
}

/** Removes the work folders of processes that were killed, and returns their names. */
export function removeAbandonedWorkFolders(parent: string): string[] {
  return namesIn(parent)
    .filter((name) => name.startsWith(prefix))
    .filter((name) => removeIfAbandoned(join(parent, name)))
}

/** Removes a folder unless a process has locked it. Returns whether it was removed. */
export function removeIfAbandoned(path: string): boolean {
  try {
    const unlock = lockFolder(path)
    unlock()
  } catch (error) {
    if (error instanceof StoreError) return false // in use, or not ours to remove
    throw error
  }
  rmSync(path, { recursive: true, force: true })
  return true
}
