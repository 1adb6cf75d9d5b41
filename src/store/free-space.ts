import { statfsSync } from 'node:fs'

/** Below this runs begin to be refused, and soon all that writes. */
export const minFreeSpace_bytes = 64 * 1_048_576

/** How many bytes are free where a folder lies, for those who are not root. */
export function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
