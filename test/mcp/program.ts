import { join, resolve } from 'node:path'

const executable = process.env.FIELDSTONE_EXECUTABLE

/** The executable when FIELDSTONE_EXECUTABLE names one, else the source: the words that start it. */
export const program: readonly string[] = executable
  ? [resolve(executable)]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '..', '..', 'src', 'main.ts')]
