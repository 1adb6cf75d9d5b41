import { rmSync, statSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isFull } from './disk.ts'

const name = 'ballast'
/** As much as it takes to end what was accepted, and to remove what is past its time. */
export const ballast_bytes = 8 * 1_048_576
/** It is laid only where there is plenty of room. */
export const plenty_bytes = 16 * ballast_bytes

/**
 * A file of nothing in the data folder. On a full disk even removing rows takes room: then the ballast goes, so that what was accepted can be
 * finished and what is past its time can be removed. It is laid again when there is room.
 */
export async function layBallast(folder: string): Promise<void> {
  if (hasBallast(folder)) return
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < plenty_bytes) return
  const unfinished = join(folder, `${name}.unfinished`)
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      await file.writeFile(new Uint8Array(ballast_bytes))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, join(folder, name))
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Drops the ballast when an error says that the disk is full. */
export function makeRoom(folder: string, error: unknown): void {
  if (isFull(error)) rmSync(join(folder, name), { force: true })
}

/** Whether the ballast lies in a folder, whole. */
export function hasBallast(folder: string): boolean {
  return (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) >= ballast_bytes
}
