import { statfsSync } from 'node:fs'

/** Below this, submissions begin to fail with storage_full, and soon all writes do. */
export const minFreeSpace_bytes = 64 * 1_048_576

/** The free bytes on the disk of a folder that are available to users other than root. */
export function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
