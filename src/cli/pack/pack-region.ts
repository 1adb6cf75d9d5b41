import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { runToEnd } from '../../async/incremental-task.ts'
import { BackupError } from '../../backup/backup-error.ts'
import { sha256AndSizeOf } from '../../backup/file-bytes.ts'
import { exportRegion } from '../../build-packs/region-export.ts'
import { openRegionArchive, stageRegion, verifyRegion, type RegionArchive } from '../../build-packs/region-import.ts'
import type { RegionFolders } from '../../backup/region-install.ts'
import {
  addTrustedKey,
  isOwnKey,
  openSigningKey,
  readTrustedKeys,
  removeTrustedKey,
} from '../../build-packs/signing-keys.ts'
import { createCatalog } from '../../catalog/catalog.ts'
import { applyOverlays } from '../../catalog/overlay.ts'
import { createOverlayFolder } from '../../catalog/overlay-folder.ts'
import { packExpectationsOf } from '../../catalog/pack-expectations.ts'
import { AreaError } from '../../pack-plans/counties.ts'
import { megabytes, pluralize } from '../../model/text.ts'
import { listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { FileError } from '../../files/file-error.ts'
import { readManifest } from '../../packs/pack-manifest.ts'
import type { PackCommandDeps, PackFlags } from './pack-deps.ts'
import { makePackFolder } from './pack-install.ts'
import { listServedPacks, missingPackError } from './pack-target.ts'
import { findPackProblems } from './pack-verify.ts'
import { UsageError } from '../usage-error.ts'

/** `fieldstone pack export`: writes the packs and the local layers to a signed archive. */
export function exportRegionCommand([file, ...datasets]: string[], { area }: PackFlags, deps: PackCommandDeps): number {
  if (file === undefined)
    throw new UsageError('No file given. Usage: `fieldstone pack export <file> [<dataset> …] [--area <name>]`.')
  exportPacks(selectPackFiles(datasets, area, deps), file, deps)
  const leftOut = area === undefined ? [] : packsWithoutArea(datasets, deps)
  if (leftOut.length > 0)
    deps.print(
      `Left out, because they are not of an area: ${leftOut.join(', ')}. Export them by the names of their datasets.`,
    )
  return 0
}

/** Writes packs and the local layers to a signed archive, and returns the public key. */
export function exportPacks(packFiles: string[], file: string, deps: PackCommandDeps): string {
  const manifest = exportRegion({
    packs: deps.folder,
    data: deps.config.data,
    packFiles,
    file: resolve(file),
    key: openSigningKey(deps.config.data),
    version: deps.version,
    catalog_version: deps.catalog.version,
    at: new Date(),
  })
  const layers = manifest.files.length - manifest.files.filter(({ name }) => name.startsWith('packs/')).length
  deps.print(
    `${resolve(file)}: ${pluralize(manifest.packs.length, 'pack')} and ${pluralize(layers, 'layer')}, ${megabytes(statSync(file).size)}, verified and signed with ${manifest.public_key}.`,
  )
  return manifest.public_key
}

/** The packs of the given datasets, or all, that were built from a file of the publisher. */
function packsWithoutArea(datasets: readonly string[], deps: PackCommandDeps): string[] {
  return selectPackFiles(datasets, undefined, deps).filter((file) => {
    return !file.endsWith('.sqlite') && readManifest(deps.folder, file).area === null
  })
}

/**
 * `fieldstone pack import`: verifies an archive, prints what it contains, and installs all of it or nothing. `contents`:
 * the built-in catalog.
 */
export async function importRegionCommand(
  [file, ...rest]: string[],
  flags: PackFlags,
  contents: AppOptions['contents'],
  deps: PackCommandDeps,
): Promise<number> {
  if (file === undefined || rest.length > 0)
    throw new UsageError('Usage: `fieldstone pack import <file> [--dry-run] [--replace-layers]`.')
  const folders = { packs: deps.folder, data: deps.config.data }
  const archive = openRegionArchive(resolve(file))
  try {
    requireTrustedKey(archive, folders.data)
    if (flags['replace-layers'] !== true) requireSameLayers(archive, folders.data)
    for (const line of describeArchive(archive, folders)) deps.print(line)
    if (flags['dry-run'] === true) {
      verifyRegion(archive)
      deps.print('All files are intact. Nothing was changed, because of --dry-run.')
      return 0
    }
    makePackFolder(folders.packs)
    const staged = stageRegion(archive, folders.packs)
    try {
      await requireUsablePacks(staged.path, archive, contents, deps)
      staged.install(folders)
    } finally {
      staged.remove()
    }
    deps.print(`Installed in ${folders.packs}. A running server uses the packs within seconds.`)
    return 0
  } finally {
    archive.close()
  }
}

/** `fieldstone pack key`: prints the public key of this data folder, or manages the keys that it trusts. */
export function keyCommand([action, key, ...words]: string[], { config: { data }, print }: PackCommandDeps): number {
  if (action === undefined) print(openSigningKey(data).publicKey)
  else if (action === 'list' && key === undefined)
    for (const trusted of readTrustedKeys(data)) print(`${trusted.key}  ${trusted.name}`)
  else if (action === 'add' && key !== undefined) {
    addTrustedKey(data, key, words.join(' '))
    print(`Archives that are signed with ${key} can now be imported.`)
  } else if (action === 'remove' && key !== undefined && words.length === 0) {
    const removed = removeTrustedKey(data, key)
    if (!removed) throw new FileError(`${key} is not a trusted key. \`fieldstone pack key list\` lists them.`)
    print(`Archives that are signed with ${removed.key} can no longer be imported.`)
  } else
    throw new UsageError(
      'Usage: `fieldstone pack key`, `pack key list`, `pack key add <key> [<name>]` or `pack key remove <key or name>`.',
    )
  return 0
}

/** The packs of these datasets and this area; all of them if none are given. */
function selectPackFiles(datasets: readonly string[], area: PackFlags[string], deps: PackCommandDeps): string[] {
  const installed = listServedPacks(deps)
  const unknown = datasets.find((id) => !installed.some((pack) => pack.datasets.includes(id)))
  if (unknown !== undefined)
    throw missingPackError(unknown, { folder: deps.folder, names: installed.flatMap((pack) => pack.datasets) })
  const areas = area === undefined ? null : [area, countyNameOf(String(area), deps)]
  const selected = installed
    .filter((pack) => datasets.length === 0 || pack.datasets.some((id) => datasets.includes(id)))
    .map(({ file }) => file)
    .filter((file) => areas === null || areas.includes(readManifest(deps.folder, file).area ?? false))
  if (area !== undefined && selected.length === 0)
    throw new FileError(`No pack has the area ${JSON.stringify(area)}. \`fieldstone pack list\` prints the areas.`)
  return datasets.length === 0 && area === undefined ? [...selected, ...listAddressPackFiles(deps.folder)] : selected
}

/** The name by which `pack fetch` records a county, a state or a metropolitan area; null if the text is none. */
function countyNameOf(text: string, { counties }: PackCommandDeps): string | null {
  try {
    return counties().find(text)?.name ?? null
  } catch (error) {
    if (!(error instanceof AreaError)) throw error
    throw new UsageError(`--area: ${error.message}`, { cause: error })
  }
}

function requireTrustedKey({ manifest: { public_key } }: RegionArchive, data: string): void {
  if (isOwnKey(data, public_key) || readTrustedKeys(data).some(({ key }) => key === public_key)) return
  throw new BackupError(
    `The archive is signed with ${public_key}, which is not trusted here. Compare it with the output of \`fieldstone pack key\` on the machine that exported. If it is the same, run: fieldstone pack key add ${public_key}`,
  )
}

/** A layer that the operator wrote must not be overwritten by accident. */
function requireSameLayers({ manifest: { files } }: RegionArchive, data: string): void {
  const changed = files.find(({ name, sha256 }) => {
    const path = join(data, name)
    return name.startsWith('catalog.d/') && existsSync(path) && sha256AndSizeOf(path).sha256 !== sha256
  })
  if (changed)
    throw new BackupError(
      `${join(data, changed.name)} exists and differs from the one in the archive. Rename it, or replace it with --replace-layers. Nothing was changed.`,
    )
}

/** One line for each pack and layer: what it is, and what it replaces. */
function describeArchive({ manifest }: RegionArchive, { packs, data }: RegionFolders): string[] {
  const sizes = new Map(manifest.files.map(({ name, bytes }) => [name, bytes]))
  const packLines = manifest.packs.map(({ file, area, vintage }) => {
    const about = [area, vintage === null ? null : `vintage ${vintage}`, megabytes(sizes.get(`packs/${file}`) ?? 0)]
    return `${file}: ${about.filter((it) => it !== null).join(', ')} (${existsSync(join(packs, file)) ? 'replaces the installed file' : 'new'})`
  })
  const layerLines = manifest.files
    .filter(({ name }) => name.startsWith('catalog.d/'))
    .map(({ name }) => `${name}: a layer (${existsSync(join(data, name)) ? 'replaces the installed file' : 'new'})`)
  return [
    `Exported on ${manifest.created_at.slice(0, 10)} by Fieldstone ${manifest.version}:`,
    ...packLines,
    ...layerLines,
  ]
}

/**
 * Checks the layers and packs like a server that has all of them.
 * @throws {BackupError} that names the first one that cannot be used.
 */
async function requireUsablePacks(
  staged: string,
  { manifest }: RegionArchive,
  builtIn: AppOptions['contents'],
  deps: PackCommandDeps,
): Promise<void> {
  const here = createOverlayFolder(join(deps.config.data, 'catalog.d')).readFiles()
  const inRegion = createOverlayFolder(join(staged, 'catalog.d')).readFiles()
  const kept = here.filter(({ file }) => !existsSync(join(staged, 'catalog.d', file)))
  const { contents, errors } = runToEnd(applyOverlays(builtIn, [...kept, ...inRegion]))
  const invalid = errors.find(({ file }) => existsSync(join(staged, 'catalog.d', file)))
  if (invalid) throw new BackupError(`catalog.d/${invalid.file} cannot be used: ${invalid.errors.join('; ')}`)
  const expected = packExpectationsOf(createCatalog(contents))
  for (const { file } of manifest.packs) {
    const problems = await findPackProblems(join(staged, 'packs', file), { ...deps, expected })
    if (problems.length > 0)
      throw new BackupError(`packs/${file} cannot be used: ${problems.join(' ')} Nothing was changed.`)
  }
}
