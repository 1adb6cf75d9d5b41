import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small in-memory disk that can be filled and made read-only. */
export type Disk = {
  folder: string
  readOnly(): void
  writable(): void
  /** Fills the disk except for this many bytes. Returns the function that frees it. */
  fill(left_bytes: number): () => void
  remove(): void
}

/** Null without the permission to mount a disk. */
export function newDisk(megabytes: number): Disk | null {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-disk-'))
  const mounted = (...words: string[]) => Bun.spawnSync(['mount', ...words, folder]).exitCode === 0
  const remount = (how: 'ro' | 'rw') => {
    if (!mounted('-o', `remount,${how}`)) throw new Error(`The disk could not be made ${how}.`)
  }
  if (!mounted('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs')) {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  return {
    folder,
    readOnly: () => remount('ro'),
    writable: () => remount('rw'),
    fill(left_bytes) {
      const { bavail, bsize } = statfsSync(folder)
      const path = join(folder, 'filler')
      try {
        writeFileSync(path, new Uint8Array(Math.max(0, bavail * bsize - left_bytes)))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error // another wrote meanwhile: it is full all the sooner
      }
      return () => rmSync(path, { force: true })
    },
    remove() {
      Bun.spawnSync(['umount', '-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
