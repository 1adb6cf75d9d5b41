import { existsSync } from 'node:fs'

/** The Python that has the packages of the system, such as pandas. Another one can come first in PATH. */
export const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** Whether Python can import these modules. */
export function hasPythonModules(...names: string[]): boolean {
  return Bun.which(python) !== null && Bun.spawnSync([python, '-c', `import ${names.join(', ')}`]).exitCode === 0
}
