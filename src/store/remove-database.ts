import { rmSync } from 'node:fs'

/** Removes the file of a database that nobody has open, with what SQLite keeps beside it; what is not there need not be. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
