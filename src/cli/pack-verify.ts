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
import type { PackTools } from './pack-tools.ts'
import { servedPacks } from './pack-target.ts'

/** Looks through the packs that are named, or all: says of each that it is good, or what is wrong. Exit code 1 when one is not good. */
export async function packVerify(words: string[], tools: PackTools): Promise<number> {
  const paths = words.length > 0 ? words.map((word) => pathOf(word, tools.folder)) : [...servedPacks(tools).map(({ file }) => file), ...listAddressPackFiles(tools.folder)].map((file) => join(tools.folder, file))
  if (paths.length === 0) tools.print(`There are no packs in ${tools.folder}.`)
  let isGood = true
  for (const path of paths) {
    const faults = await packFaults(path, tools)
    isGood &&= faults.length === 0
    tools.print(faults.length === 0 ? `${path}: good` : `${path}: ${faults.join(' ')}`)
  }
  return isGood ? 0 : 1
}

/** What is said of a pack beside it. Refuses what has the wrong form. */
export function readManifest(path: string): PackManifest {
  const beside = `${path.slice(0, -extname(path).length)}.json`
  return existsSync(beside) ? parseManifest(readFileSync(beside, 'utf8'), basename(beside)) : emptyManifest
}

function pathOf(word: string, folder: string): string {
  const path = [resolve(word), join(folder, word), join(folder, `${word}.gpkg`), join(folder, `${word}.tif`), join(folder, `${word}.sqlite`)].find((it) => existsSync(it))
  if (path === undefined) throw new PackError(`There is no pack ${word}, neither here nor in ${folder}.`)
  return path
}

/** What is wrong with a pack: nothing, when it is whole and what the catalog expects. */
export async function packFaults(path: string, tools: PackTools): Promise<string[]> {
  const faults: string[] = []
  const tried = async (check: () => void | Promise<void>): Promise<void> => {
    try {
      await check()
    } catch (error) {
      faults.push((error as Error).message)
    }
  }
  if (path.endsWith('.sqlite')) {
    await tried(() => verifyAddressPack(path))
    return faults
  }
  let manifest = emptyManifest
  await tried(() => { manifest = readManifest(path) })
  if (tools.expected(basename(path)).length === 0) faults.push(`No dataset of the catalog is read from a file of the name ${basename(path)}.`)
  await tried(() => checkSum(path, manifest))
  await tried(() => (path.endsWith('.tif') ? checkRaster(path, tools) : checkGeopackage(path, manifest, tools)))
  return faults
}

async function checkSum(path: string, { sha256 }: PackManifest): Promise<void> {
  if (sha256 === null) return
  const found = await sha256OfFile(path)
  if (found !== sha256) throw new PackError(`It has the checksum (SHA-256) ${found}; its manifest says ${sha256}.`)
}

function checkGeopackage(path: string, manifest: PackManifest, { expected }: PackTools): void {
  const file = openGeopackage(path)
  try {
    const found = file.db.query<{ quick_check: string }, []>('PRAGMA integrity_check(3)').values().map(([line]) => String(line))
    if (found[0] !== 'ok') throw new PackError(`SQLite finds it damaged: ${found.join('; ')}.`)
    for (const { name, geometry, rtree } of file.tables) if (geometry && rtree) checkRtree(file.db, { table: name, geometry: geometry.column, rtree })
  } finally {
    file.close()
  }
  const wanted = expected(basename(path))
  if (wanted.length === 0) return
  const pack = openGeopackagePack(path, manifest, wanted, createByteCache(0))
  const lacks = pack.notes().filter((note) => note.startsWith('It does not serve'))
  pack.close()
  if (lacks.length > 0) throw new PackError(lacks.join(' '))
}

/** An R-tree that was not kept up to date finds less than there is. */
function checkRtree(db: ReturnType<typeof openGeopackage>['db'], { table, geometry, rtree }: { table: string; geometry: string; rtree: string }): void {
  const count = (sql: string) => db.query<{ count: number }, []>(sql).get()!.count
  const indexed = count(`SELECT COUNT(*) AS count FROM ${quoteIdentifier(`${rtree}_rowid`)}`)
  const filled = count(`SELECT COUNT(*) AS count FROM ${quoteIdentifier(table)} WHERE ${quoteIdentifier(geometry)} IS NOT NULL AND (hex(substr(${quoteIdentifier(geometry)}, 4, 1)) NOT LIKE '1%')`)
  if (indexed !== filled) throw new PackError(`The R-tree of the layer ${table} has ${indexed} features; the layer has ${filled} with a geometry.`)
}

const triedPerSide = 5
const noHurry = { signal: new AbortController().signal }

/** Opens a raster as the service does, and reads a cell here and there. Throws what is wrong with it. */
export async function checkRaster(path: string, { workers }: Pick<PackTools, 'workers'>): Promise<void> {
  const rasters = openRasters({ startWorker: workers.raster })
  try {
    const raster = await rasters.openFile(path)
    const { west, south, east, north } = raster.bounds
    const part = (i: number) => (i + 0.5) / triedPerSide
    const places = Array.from({ length: triedPerSide ** 2 }, (_, i) => ({ lat: south + part(i % triedPerSide) * (north - south), lng: west + part(Math.floor(i / triedPerSide)) * (east - west) }))
    for (const at of places.filter((place) => raster.covers(place))) await raster.window({ at, radius_cells: 1 }, {}, noHurry)
  } finally {
    rasters.close()
  }
}
