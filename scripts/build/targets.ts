import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CannotBuild } from './cannot-build.ts'
import { root } from './root.ts'

/** A system to build for: the npm package that holds Bun's runtime for it, and what the executable is called there. */
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

/** The names that `--target` takes. */
export const targetNames = Object.keys(systems).map((name) => `bun-${name}`)

/** The target of that name. Throws with the names there are. */
export function targetOf(name: string): Target {
  const system = name.replace(/^bun-/, '')
  if (!name.startsWith('bun-') || !Object.hasOwn(systems, system))
    throw new CannotBuild(`There is no target ${name}: --target takes one of ${targetNames.join(', ')}.`)
  return {
    name: name as Bun.Build.CompileTarget,
    runtime: `@oven/bun-${systems[system]!}`,
    file: `fieldstone-${system}${system.startsWith('windows') ? '.exe' : ''}`,
  }
}

/** This machine. npm installs the runtime for its C library alone, so what is installed tells which that is. */
export function thisMachine(): Target {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const musl =
    readdirSync(join(root, 'node_modules', '@oven')).includes(`bun-${systems[system]}-musl`) &&
    !readdirSync(join(root, 'node_modules', '@oven')).includes(`bun-${systems[system]}`)
  return {
    ...targetOf(`bun-${system}${musl ? '-musl' : ''}`),
    file: process.platform === 'win32' ? 'fieldstone.exe' : 'fieldstone',
  }
}
