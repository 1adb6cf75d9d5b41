import { rmSync, statSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageError } from './storage-error.ts'

const reserveFileName = 'reserve_file'
/** The space that is needed to finish accepted work and to delete expired rows. */
export const reserveFile_bytes = 8 * 1_048_576
/** The file is created only if this much space is free. */
export const reserveFreeSpace_bytes = 16 * reserveFile_bytes

/**
 * Creates the reserve file, a file of zeros in the data folder, if it is missing and enough space is free. On a full
 * disk, even deleting rows needs space. Then the reserve file is deleted, so that accepted work can finish and expired
 * rows can be deleted.
 */
export async function ensureReserveFile(folder: string): Promise<void> {
  if (hasReserveFile(folder)) return
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < reserveFreeSpace_bytes) return
  const unfinished = join(folder, `${reserveFileName}.unfinished`)
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      await file.writeFile(new Uint8Array(reserveFile_bytes))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, join(folder, reserveFileName))
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Deletes the reserve file if the error says that the disk is full. Returns whether there was one. */
export function releaseReserveFile(folder: string, error: unknown): boolean {
  const isNeeded = error instanceof StorageError && error.reason === 'full' && hasReserveFile(folder)
  if (isNeeded) rmSync(join(folder, reserveFileName))
  return isNeeded
}

/** Whether a folder has a complete reserve file. */
export function hasReserveFile(folder: string): boolean {
  return (statSync(join(folder, reserveFileName), { throwIfNoEntry: false })?.size ?? 0) >= reserveFile_bytes
}
