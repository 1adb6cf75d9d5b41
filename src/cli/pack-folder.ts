import { chmodSync, mkdirSync } from 'node:fs'

/**
 * Creates the folder of a pack if it does not exist. Other users may read the folder, because the server may run as
 * another user than the one who builds packs. Parent folders that are created are private to their owner.
 */
export function makePackFolder(folder: string): void {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew) chmodSync(folder, 0o755)
}
