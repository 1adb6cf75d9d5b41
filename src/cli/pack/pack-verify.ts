import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { createByteCache } from '../../packs/layer/byte-cache.ts'
import { checkChecksum, checkPackFile } from '../../packs/check/pack-check.ts'
import { parseManifest, emptyManifest, type PackManifest } from '../../packs/pack-manifest.ts'
import { packNameOf, partFolderOf } from '../../packs/part-files.ts'
import { openGeopackagePack, unknownPackFileError } from '../../packs/pack.ts'
import { openRasters } from '../../raster/rasters.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { listServedPacks, missingPackError } from './pack-target.ts'
import type { Extent } from '../../model/area.ts'

/** `fieldstone pack verify`: verifies the given packs, or all. Returns exit code 1 if a pack is not valid. */
export async function verifyPacks(args: string[], deps: PackCommandDeps): Promise<number> {
  const paths = args.length > 0 ? args.flatMap((arg) => findPackPaths(arg, deps)) : listPackFilePaths(deps)
  if (paths.length === 0) deps.print(`No packs in ${deps.folder}.`)
  let isValid = true
  for (const path of paths) {
    const problems = await findPackProblems(path, deps)
    isValid &&= problems.length === 0
    deps.print(`${path}: ${problems.length === 0 ? okOf(path) : problems.join(' ')}`)
  }
  return isValid ? 0 : 1
}

function okOf(path: string): string {
  if (!path.endsWith('.sqlite') && readPackManifest(path).sha256 !== null) return 'ok'
  return 'ok, but it has no checksum: values that changed on the disk are not found'
}

/** The paths of all packs in the folder. */
export function listPackFilePaths(deps: PackCommandDeps): string[] {
  const files = [...listServedPacks(deps).map(({ file }) => file), ...listAddressPackFiles(deps.folder)]
  return files.map((file) => join(deps.folder, file))
}

/** Reads the manifest of a pack; an empty manifest if there is no file. @throws {FileError} if it is not valid. */
export function readPackManifest(path: string): PackManifest {
  const manifestPath = `${path.slice(0, -extname(path).length)}.json`
  return existsSync(manifestPath)
    ? parseManifest(readFileSync(manifestPath, 'utf8'), basename(manifestPath))
    : emptyManifest
}

/** The file that a word names, or the parts of a pack. */
export function findPackPaths(word: string, deps: PackCommandDeps): string[] {
  const { folder } = deps
  const parts = listServedPacks(deps).filter(({ file }) => partFolderOf(file) === word)
  const inFolder = ['', '.gpkg', '.tif', '.sqlite'].map((ending) => join(folder, `${word}${ending}`))
  const path = [resolve(word), ...inFolder].find((it) => existsSync(it) && statSync(it).isFile())
  const paths = [...(path ? [path] : []), ...parts.map(({ file }) => join(folder, file))]
  if (paths.length === 0)
    throw missingPackError(word, {
      folder: `the current folder or in ${folder}`,
      names: listServedPacks(deps).map(({ file }) => packNameOf(file)),
    })
  return paths
}

/** The name by which the catalog knows a file: with its folder if it is a part. */
function packPathOf(path: string, { expected }: PackCommandDeps): string {
  const asPart = `${basename(dirname(path))}/${basename(path)}`
  return expected(asPart).length > 0 ? asPart : basename(path)
}

/** Returns the problems of a pack. The list is empty if the pack is intact and matches the catalog. */
export async function findPackProblems(path: string, deps: PackCommandDeps): Promise<string[]> {
  const problems: string[] = []
  const collectProblem = async (check: () => unknown): Promise<void> => {
    try {
      await check()
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (path.endsWith('.sqlite')) {
    await collectProblem(() => checkPackFile(path, null))
    return problems
  }
  let manifest = emptyManifest
  await collectProblem(() => {
    manifest = readPackManifest(path)
  })
  const file = packPathOf(path, deps)
  if (deps.expected(file).length === 0) problems.push(unknownPackFileError(file).message)
  await collectProblem(() => checkChecksum(path, manifest.sha256))
  await collectProblem(async () => {
    await checkPackFile(path, null)
    if (path.endsWith('.tif')) await verifyRaster(path, deps)
    else verifyDatasets(path, file, { manifest, expected: deps.expected })
  })
  return problems
}

/** Opens a pack like the server does. @throws {FileError} if it serves none of the datasets that read it. */
function verifyDatasets(
  path: string,
  file: string,
  { manifest, expected }: { manifest: PackManifest } & Pick<PackCommandDeps, 'expected'>,
): void {
  const expectedDatasets = expected(file)
  if (expectedDatasets.length === 0) return
  openGeopackagePack(path, { manifest, name: packNameOf(file) }, expectedDatasets, createByteCache(0)).close()
}

const samplesPerSide = 5

/**
 * Opens a raster like the server does, and reads a grid of sample cells. Returns its bounds.
 * @throws {UpstreamError} if that fails.
 */
export async function verifyRaster(path: string, { workers }: Pick<PackCommandDeps, 'workers'>): Promise<Extent> {
  const rasters = openRasters({ startWorker: workers.raster })
  try {
    const raster = await rasters.openFile(path)
    const { west, south, east, north } = raster.bounds
    const fraction = (i: number) => (i + 0.5) / samplesPerSide
    const places = Array.from({ length: samplesPerSide ** 2 }, (_, i) => ({
      lat: south + fraction(i % samplesPerSide) * (north - south),
      lng: west + fraction(Math.floor(i / samplesPerSide)) * (east - west),
    }))
    for (const at of places.filter((place) => raster.covers(place)))
      await raster.window({ at, radius_cells: 1 }, {}, noDeadline)
    return raster.bounds
  } finally {
    rasters.close()
  }
}
