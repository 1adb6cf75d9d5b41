import { rmSync, statSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isSqliteFull } from './sqlite-errors.ts'

const reserveFileName = 'reserve_file'
/** As much as it takes to end what was accepted, and to remove what is past its time. */
export const reserveFile_bytes = 8 * 1_048_576
/** It is laid only where there is plenty of room. */
export const reserveFreeSpace_bytes = 16 * reserveFile_bytes

/**
 * A file of nothing in the data folder. On a full disk even removing rows takes room: then the ballast goes, so that what was accepted can be
 * finished and what is past its time can be removed. It is laid again when there is room.
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

/** Drops the ballast when an error says that the disk is full. */
export function releaseReserveFile(folder: string, error: unknown): void {
  if (isSqliteFull(error)) rmSync(join(folder, reserveFileName), { force: true })
}

/** Whether the ballast lies in a folder, whole. */
export function hasReserveFile(folder: string): boolean {
  return (statSync(join(folder, reserveFileName), { throwIfNoEntry: false })?.size ?? 0) >= reserveFile_bytes
}
