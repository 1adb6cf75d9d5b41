import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lockedPackages } from './lock.ts'
import { root } from './root.ts'

/** A package with code in the executable. */
export type BundledPackage = {
  folder: string
  name: string
  version: string
  license: string
  author: string | null
  homepage: string | null
  integrity: string | null
  dependencies: string[]
  /** The package whose published files contain the code of this one; null if only our bundler adds it. */
  inside: string | null
}

/** Returns the packages in bundles, according to the metafiles of the bundler, ordered by name. */
export function findBundledPackages(...metafiles: readonly Bun.BuildMetafile[]): BundledPackage[] {
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  const folders = new Set(files.flatMap((path) => packageFolderOf(path) ?? []))
  const prebundled = new Map(files.flatMap((path) => findPrebundled(path).map((it) => [it.folder, it.inside] as const)))
  return [
    ...[...folders].map((folder) => readPackage(folder, prebundled.get(folder) ?? null)),
    ...[...prebundled]
      .filter(([folder]) => !folders.has(folder))
      .map(([folder, inside]) => readPackage(folder, inside)),
  ].sort((a, b) => (a.name < b.name || (a.name === b.name && a.folder < b.folder) ? -1 : 1))
}

/** Returns the innermost package folder of a file, from `node_modules` on. */
export function packageFolderOf(path: string): string | null {
  return (
    /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1] ?? null
  )
}

/**
 * Returns the packages inside a published file, according to the source map beside it: our bundler sees only the outer
 * package. Their versions are the installed ones. Packages that are not installed are left to the notices that the
 * outer package publishes.
 */
export function findPrebundled(file: string): { folder: string; inside: string }[] {
  const outer = packageFolderOf(file)
  const map = `${join(root, file.slice(file.indexOf('node_modules/')))}.map`
  if (outer === null || !existsSync(map)) return []
  const { sources = [] } = JSON.parse(readFileSync(map, 'utf8')) as { sources?: string[] }
  const names = new Set(sources.flatMap((path) => packageFolderOf(path)?.split('node_modules/').at(-1) ?? []))
  return [...names].flatMap((name) => {
    const folder = installedFolderOf(name, outer)
    if (folder === null && !hasNotices(outer))
      throw new Error(`${outer} contains ${name}, which is not installed. Find its license before you build.`)
    return folder === null || folder === outer ? [] : [{ folder, inside: readPackage(outer).name }]
  })
}

/** Returns the folder of a package that another one imports, as Node.js resolves it; null if it is not installed. */
function installedFolderOf(name: string, importer: string): string | null {
  const candidates = [`${importer}/node_modules/${name}`, `node_modules/${name}`]
  return candidates.find((folder) => existsSync(join(root, folder, 'package.json'))) ?? null
}

/** Whether a package publishes the notices of the packages inside its files. */
function hasNotices(folder: string): boolean {
  return readdirSync(join(root, folder)).some((name) => name.endsWith('.LICENSE.txt'))
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
export function readPackage(folder: string, inside: string | null = null): BundledPackage {
  const about = JSON.parse(readFileSync(join(realpathSync(join(root, folder)), 'package.json'), 'utf8')) as About
  const license = typeof about.license === 'object' ? about.license.type : about.license
  if (license === undefined)
    throw new Error(
      `${folder} has no license in its package.json. Find its license before you add it to the executable.`,
    )
  return {
    folder,
    name: about.name,
    version: about.version,
    license,
    author: (typeof about.author === 'object' ? about.author.name : about.author) ?? null,
    homepage: about.homepage ?? null,
    integrity: lockedPackages()[folder]?.integrity ?? null,
    dependencies: Object.keys(about.dependencies ?? {}).sort(),
    inside,
  }
}
