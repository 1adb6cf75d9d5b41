import { chmodSync, mkdirSync } from 'node:fs'

/**
 * Makes the folder of a pack where there is none. What has to be made above it is for its owner alone; itself it can be read by the user of the
 * service, who is another where the operator builds packs as root.
 */
export function makePackFolder(folder: string): void {
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew) chmodSync(folder, 0o755)
}
