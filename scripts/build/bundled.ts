import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lockedPackages } from './lock.ts'
import { root } from './root.ts'

/** A package of which something is in the executable. */
export type Bundled = {
  folder: string
  name: string
  version: string
  licence: string
  author: string | null
  homepage: string | null
  integrity: string | null
  dependencies: string[]
}

/** The packages of bundles, by what the bundler says it put in, in the order of their names. */
export function bundledIn(...metafiles: readonly Bun.BuildMetafile[]): Bundled[] {
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  const folders = [...new Set(files.flatMap((path) => folderOf(path) ?? []))]
  return folders.map(packageIn).sort((a, b) => (a.name < b.name || (a.name === b.name && a.folder < b.folder) ? -1 : 1))
}

/** The innermost package folder that a file lies in, from `node_modules` on. */
export function folderOf(path: string): string | null {
  return (
    /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1] ?? null
  )
}

type About = {
  name: string
  version: string
  license?: string | { type: string }
  author?: string | { name: string }
  homepage?: string
  dependencies?: Record<string, string>
  repository?: string | { url: string }
}

/** What an installed package says of itself, and the lock file of it. */
export function packageIn(folder: string): Bundled {
  const about = JSON.parse(readFileSync(join(realpathSync(join(root, folder)), 'package.json'), 'utf8')) as About
  const licence = typeof about.license === 'object' ? about.license.type : about.license
  if (licence === undefined)
    throw new Error(`${folder} does not say its licence: find out what it is before it goes into the executable.`)
  return {
    folder,
    name: about.name,
    version: about.version,
    licence,
    author: (typeof about.author === 'object' ? about.author.name : about.author) ?? null,
    homepage: about.homepage ?? null,
    integrity: lockedPackages()[folder]?.integrity ?? null,
    dependencies: Object.keys(about.dependencies ?? {}).sort(),
  }
}
