import { rmSync } from 'node:fs'

/** Removes a database that nobody has open, and its journal files. Missing files are ignored. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
