import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** A package pinned in package-lock.json. */
export type LockedPackage = {
  version: string
  integrity: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  dev?: boolean
}

/** Returns all packages of the lock file by their folder (`node_modules/elysia`). */
export function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  return (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockedPackage> }
  ).packages
}
