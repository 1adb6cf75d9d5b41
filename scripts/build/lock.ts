import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** A package as package-lock.json pins it. */
export type Locked = {
  version: string
  integrity: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  dev?: boolean
}

/** Every package of the lock file, by the folder it is installed in (`node_modules/elysia`). */
export function lockedPackages(): Readonly<Record<string, Locked>> {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> })
    .packages
}
