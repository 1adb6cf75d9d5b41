import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BuildError } from './build-error.ts'
import { root } from './root.ts'

/** A platform to build for: the npm package of its Bun runtime, and the file name of the executable. */
export type Target = { name: Bun.Build.CompileTarget; runtime: string; file: string }

const systems: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-x64-baseline': 'linux-x64-baseline',
  'linux-arm64': 'linux-aarch64',
  'linux-x64-musl': 'linux-x64-musl',
  'linux-x64-baseline-musl': 'linux-x64-musl-baseline',
  'linux-arm64-musl': 'linux-aarch64-musl',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-aarch64',
  'windows-x64': 'windows-x64',
  'windows-x64-baseline': 'windows-x64-baseline',
  'windows-arm64': 'windows-aarch64',
}

/** The valid values of `--target`. */
export const targetNames = Object.keys(systems).map((name) => `bun-${name}`)

/**
 * Returns the target with that name.
 *
 * @throws with the valid names if it is unknown.
 */
export function targetOf(name: string): Target {
  const system = name.replace(/^bun-/, '')
  if (!name.startsWith('bun-') || !Object.hasOwn(systems, system))
    throw new BuildError(`There is no target ${name}: --target takes one of ${targetNames.join(', ')}.`)
  return {
    name: name as Bun.Build.CompileTarget,
    runtime: `@oven/bun-${systems[system]!}`,
    file: `fieldstone-${system}${system.startsWith('windows') ? '.exe' : ''}`,
  }
}

/** Returns the target of this machine. npm installs only the runtime for its C library, which shows which one it is. */
export function hostTarget(): Target {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const musl =
    readdirSync(join(root, 'node_modules', '@oven')).includes(`bun-${systems[system]}-musl`) &&
    !readdirSync(join(root, 'node_modules', '@oven')).includes(`bun-${systems[system]}`)
  return {
    ...targetOf(`bun-${system}${musl ? '-musl' : ''}`),
    file: process.platform === 'win32' ? 'fieldstone.exe' : 'fieldstone',
  }
}
