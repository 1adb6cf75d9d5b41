import { join, resolve } from 'node:path'

const executable = process.env.FIELDSTONE_EXECUTABLE

/** The command line of the executable in FIELDSTONE_EXECUTABLE, otherwise of the source. */
export const programCommand: readonly string[] = executable
  ? [resolve(executable)]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '..', '..', 'src', 'main.ts')]
