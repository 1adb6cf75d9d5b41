import { existsSync, readFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { verifyAddressPack } from '../packs/addresses/address-pack-check.ts'
import { createByteCache } from '../packs/byte-cache.ts'
import { openGeopackage, quoteIdentifier } from '../packs/geopackage-file.ts'
import { sha256OfFile } from '../packs/import/build-pack.ts'
import { parseManifest, emptyManifest, type PackManifest } from '../packs/pack-manifest.ts'
import { PackError } from '../packs/pack-error.ts'
import { openGeopackagePack } from '../packs/pack.ts'
import { openRasters } from '../raster/rasters.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { listServedPacks } from './pack-target.ts'

/** Looks through the packs that are named, or all: says of each that it is good, or what is wrong. Exit code 1 when one is not good. */
export async function verifyPacks(args: string[], deps: PackCommandDeps): Promise<number> {
  const paths =
    args.length > 0
      ? args.map((arg) => findPackPath(arg, deps.folder))
      : [...listServedPacks(deps).map(({ file }) => file), ...listAddressPackFiles(deps.folder)].map((file) =>
          join(deps.folder, file),
        )
  if (paths.length === 0) deps.print(`There are no packs in ${deps.folder}.`)
  let isValid = true
  for (const path of paths) {
    const problems = await findPackProblems(path, deps)
    isValid &&= problems.length === 0
    deps.print(problems.length === 0 ? `${path}: good` : `${path}: ${problems.join(' ')}`)
  }
  return isValid ? 0 : 1
}

/** What is said of a pack beside it. Refuses what has the wrong form. */
export function readPackManifest(path: string): PackManifest {
  const manifestPath = `${path.slice(0, -extname(path).length)}.json`
  return existsSync(manifestPath)
    ? parseManifest(readFileSync(manifestPath, 'utf8'), basename(manifestPath))
    : emptyManifest
}

function findPackPath(word: string, folder: string): string {
  const path = [
    resolve(word),
    join(folder, word),
    join(folder, `${word}.gpkg`),
    join(folder, `${word}.tif`),
    join(folder, `${word}.sqlite`),
  ].find((it) => existsSync(it))
  if (path === undefined) throw new PackError(`There is no pack ${word}, neither here nor in ${folder}.`)
  return path
}

/** What is wrong with a pack: nothing, when it is whole and what the catalog expects. */
export async function findPackProblems(path: string, deps: PackCommandDeps): Promise<string[]> {
  const problems: string[] = []
  const collectProblem = async (check: () => void | Promise<void>): Promise<void> => {
    try {
      await check()
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (path.endsWith('.sqlite')) {
    await collectProblem(() => verifyAddressPack(path))
    return problems
  }
  let manifest = emptyManifest
  await collectProblem(() => {
    manifest = readPackManifest(path)
  })
  if (deps.expected(basename(path)).length === 0)
    problems.push(`No dataset of the catalog is read from a file of the name ${basename(path)}.`)
  await collectProblem(() => verifyChecksum(path, manifest))
  await collectProblem(() =>
    path.endsWith('.tif') ? verifyRaster(path, deps) : verifyGeopackage(path, manifest, deps),
  )
  return problems
}

async function verifyChecksum(path: string, { sha256 }: PackManifest): Promise<void> {
  if (sha256 === null) return
  const found = await sha256OfFile(path)
  if (found !== sha256) throw new PackError(`It has the checksum (SHA-256) ${found}; its manifest says ${sha256}.`)
}

function verifyGeopackage(path: string, manifest: PackManifest, { expected }: PackCommandDeps): void {
  const file = openGeopackage(path)
  try {
    const found = file.db
      .query<{ quick_check: string }, []>('PRAGMA integrity_check(3)')
      .values()
      .map(([line]) => String(line))
    if (found[0] !== 'ok') throw new PackError(`SQLite finds it damaged: ${found.join('; ')}.`)
    for (const { name, geometry, rtree } of file.tables)
      if (geometry && rtree) verifyRtree(file.db, { table: name, geometry: geometry.column, rtree })
  } finally {
    file.close()
  }
  const expectedDatasets = expected(basename(path))
  if (expectedDatasets.length === 0) return
  const pack = openGeopackagePack(path, manifest, expectedDatasets, createByteCache(0))
  const missing = pack.notes().filter((note) => note.startsWith('It does not serve'))
  pack.close()
  if (missing.length > 0) throw new PackError(missing.join(' '))
}

/** An R-tree that was not kept up to date finds less than there is. */
function verifyRtree(
  db: ReturnType<typeof openGeopackage>['db'],
  { table, geometry, rtree }: { table: string; geometry: string; rtree: string },
): void {
  const count = (sql: string) => db.query<{ count: number }, []>(sql).get()!.count
  const indexed = count(`SELECT COUNT(*) AS count FROM ${quoteIdentifier(`${rtree}_rowid`)}`)
  const filled = count(
    `SELECT COUNT(*) AS count FROM ${quoteIdentifier(table)} WHERE ${quoteIdentifier(geometry)} IS NOT NULL AND (hex(substr(${quoteIdentifier(geometry)}, 4, 1)) NOT LIKE '1%')`,
  )
  if (indexed !== filled)
    throw new PackError(
      `The R-tree of the layer ${table} has ${indexed} features; the layer has ${filled} with a geometry.`,
    )
}

const samplesPerSide = 5
const noDeadline = { signal: new AbortController().signal }

/** Opens a raster as the service does, and reads a cell here and there. Throws what is wrong with it. */
export async function verifyRaster(path: string, { workers }: Pick<PackCommandDeps, 'workers'>): Promise<void> {
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
  } finally {
    rasters.close()
  }
}
