import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs a file, or the entries of a folder, to disk (fsync). */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
