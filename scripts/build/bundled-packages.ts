import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lockedPackages } from './lock.ts'
import { root } from './root.ts'

/** A package with code in the executable. */
export type BundledPackage = {
  folder: string
  name: string
  version: string
  licence: string
  author: string | null
  homepage: string | null
  integrity: string | null
  dependencies: string[]
}

/** Returns the packages in bundles, according to the metafiles of the bundler, ordered by name. */
export function findBundledPackages(...metafiles: readonly Bun.BuildMetafile[]): BundledPackage[] {
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  const folders = [...new Set(files.flatMap((path) => packageFolderOf(path) ?? []))]
  return folders
    .map(readPackage)
    .sort((a, b) => (a.name < b.name || (a.name === b.name && a.folder < b.folder) ? -1 : 1))
}

/** Returns the innermost package folder of a file, from `node_modules` on. */
export function packageFolderOf(path: string): string | null {
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

/** Returns the metadata of an installed package, from its package.json and the lock file. */
export function readPackage(folder: string): BundledPackage {
  const about = JSON.parse(readFileSync(join(realpathSync(join(root, folder)), 'package.json'), 'utf8')) as About
  const licence = typeof about.license === 'object' ? about.license.type : about.license
  if (licence === undefined)
    throw new Error(
      `${folder} has no license in its package.json. Find its license before you add it to the executable.`,
    )
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
