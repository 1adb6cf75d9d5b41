/**
 * Builds dist/embedded.gpkg, the layers that need no network, from the npm data packages, and lays them out as
 * dist/embedded.bin, which the service maps into memory. Does nothing for a file that is up to date.
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAirports } from './embed/airports.ts'
import { buildCoastline } from './embed/coastline.ts'
import { buildCounties } from './embed/counties.ts'
import { englishWords } from './embed/english-words.ts'
import { geoid } from './embed/geoid.ts'
import { addTable, createGeoPackage, finish } from './embed/geopackage.ts'
import { committedPackages, dataFolderOf, type LayerSource } from './embed/layer.ts'
import { manifestOf, type WrittenLayer } from './embed/manifest.ts'
import { embeddedConditions } from './embed/conditions.ts'
import { layOutEmbedded } from './embed/lay-out.ts'
import { buildPlaces } from './embed/places.ts'
import { buildTideStations } from './embed/tide-stations.ts'
import { buildTimezones } from './embed/timezones.ts'
import { buildWeatherStations } from './embed/weather-stations.ts'
import { buildZips } from './embed/zips.ts'
import { indexedBlocks } from '../src/packs/embedded/embedded-layout.ts'
import { joinBlocks } from '../src/packs/embedded/layout-file.ts'

const layers: LayerSource[] = [
  buildCounties,
  buildTimezones,
  buildCoastline,
  buildAirports,
  buildPlaces,
  buildZips,
  buildTideStations,
  buildWeatherStations,
  geoid,
  englishWords,
]
/** Packages that affect the file, besides this code and the data. */
const tools = ['topojson-client', 'topojson-server', 'topojson-simplify']
/** Increment this to force a new build. */
const format = 2

/** The code that the GeoPackage and its layout depend on, besides scripts/embed. */
const geopackageCode = ['scripts/embed.ts', 'src/geo/us.ts', 'src/geo/ecef.ts']
const layoutCode = [
  ...['attribute', 'box-tree', 'boxes', 'cell-index', 'edge-index', 'flat-geometries', 'polygon'].map(
    (name) => `src/geo/${name}.ts`,
  ),
  ...['geo/polygon', 'geo/text/sql-condition', 'packs/layer/layer-columns'].map((name) => `src/${name}.ts`),
  ...['embedded-layout', 'layout-file', 'memory-grid'].map((name) => `src/packs/embedded/${name}.ts`),
]

const root = join(import.meta.dir, '..')
const geopackage = join(root, 'dist/embedded.gpkg')
const layout = join(root, 'dist/embedded.bin')

const conditions = embeddedConditions()
const packages = installed()
const key = keyOf(packages)
buildOnce(geopackage, 'embedded.key', key, () => {
  console.log('Building dist/embedded.gpkg from the npm data packages (once; about ten seconds) …')
  writeWhole(geopackage, buildGeoPackage)
})
buildOnce(layout, 'embedded-layout.key', layoutKey(), () => {
  console.log('Laying out dist/embedded.bin (once; about five seconds) …')
  writeWhole(layout, buildLayout)
})

type Package = { version: string; integrity: string }

/** Returns the data packages: those of the lock file, and the committed ones. */
function installed(): Map<string, Package> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>
  }
  const names = new Set([...tools, ...layers.flatMap(({ files }) => files.map((file) => file.package))])
  return new Map(
    [...names].sort().map((name) => {
      const entry = committedPackages.includes(name) ? committedPackage(name) : lock.packages[`node_modules/${name}`]
      if (!entry)
        throw new Error(`package-lock.json has no ${name}, which the embedded layers need. Add it to devDependencies.`)
      return [name, entry]
    }),
  )
}

/** The version of a committed package, and the checksum of its files. */
function committedPackage(name: string): Package {
  const folder = dataFolderOf(name)
  const { version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Package
  const files = readdirSync(join(root, folder))
    .sort()
    .map((file) => `${folder}/${file}`)
  return { version, integrity: hashFiles(files).digest('hex') }
}

function keyOf(packages: Map<string, Package>): string {
  const own = readdirSync(join(root, 'scripts/embed'))
    .sort()
    .map((name) => `scripts/embed/${name}`)
  const hash = hashFiles([...geopackageCode, ...own]).update(String(format))
  for (const [name, { integrity }] of packages) hash.update(name).update(integrity)
  return hash.digest('hex')
}

function layoutKey(): string {
  return hashFiles(layoutCode)
    .update(key)
    .update(JSON.stringify([...conditions]))
    .digest('hex')
}

function hashFiles(files: readonly string[]): Bun.CryptoHasher {
  const hash = new Bun.CryptoHasher('sha256')
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  return hash
}

/** Builds a file unless it was built with this key, which is stored beside it. */
function buildOnce(file: string, keyName: string, key: string, build: () => void): void {
  const keyFile = join(root, 'dist', keyName)
  if (existsSync(file) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return
  mkdirSync(join(root, 'dist'), { recursive: true })
  build()
  rmSync(keyFile, { force: true })
  writeFileSync(keyFile, key)
}

/** Writes to a temporary name and renames the complete file, so that nothing opens an incomplete file. */
function writeWhole(file: string, write: (part: string) => void): void {
  const part = `${file}.${process.pid}.part`
  try {
    write(part)
    renameSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
}

function buildGeoPackage(file: string): void {
  const db = createGeoPackage(file)
  const written: WrittenLayer[] = layers.map((layer) => {
    const features = addTable(db, layer)
    // Otherwise the garbage of one layer adds to the peak memory of the next.
    Bun.gc(true)
    return { layer, features, packages }
  })
  addTable(db, manifestOf(written))
  finish(db)
}

function buildLayout(file: string): void {
  const db = new Database(geopackage, { readonly: true })
  try {
    writeFileSync(file, joinBlocks(indexedBlocks(layOutEmbedded(db, conditions))))
  } finally {
    db.close()
  }
}
