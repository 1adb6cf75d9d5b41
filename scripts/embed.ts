/**
 * Builds dist/embedded.gpkg, the layers that need no network, from the npm data packages. Does nothing if it is up to
 * date.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildAirports } from './embed/airports.ts'
import { buildCoastline } from './embed/coastline.ts'
import { buildCounties } from './embed/counties.ts'
import { englishWords } from './embed/english-words.ts'
import { geoid } from './embed/geoid.ts'
import { addTable, createGeoPackage, finish } from './embed/geopackage.ts'
import type { LayerSource } from './embed/layer.ts'
import { manifestOf, type WrittenLayer } from './embed/manifest.ts'
import { buildPlaces } from './embed/places.ts'
import { buildTideStations } from './embed/tide-stations.ts'
import { buildTimezones } from './embed/timezones.ts'
import { buildZips } from './embed/zips.ts'

const layers: LayerSource[] = [
  buildCounties,
  buildTimezones,
  buildCoastline,
  buildAirports,
  buildPlaces,
  buildZips,
  buildTideStations,
  geoid,
  englishWords,
]
/** Packages that affect the file, besides this code and the data. */
const tools = ['topojson-client', 'topojson-server', 'topojson-simplify']
/** Increment this to force a new build. */
const format = 2

const root = join(import.meta.dir, '..')
const target = join(root, 'dist/embedded.gpkg')
const keyFile = join(root, 'dist/embedded.key')

const packages = installed()
const key = keyOf(packages)
if (!existsSync(target) || !existsSync(keyFile) || readFileSync(keyFile, 'utf8') !== key) {
  console.log('Building dist/embedded.gpkg from the npm data packages (once; about ten seconds) …')
  mkdirSync(join(root, 'dist'), { recursive: true })
  build()
  writeFileSync(keyFile, key)
}

type Package = { version: string; integrity: string }

/** Returns the packages pinned in the lock file. */
function installed(): Map<string, Package> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>
  }
  const names = new Set([...tools, ...layers.flatMap(({ files }) => files.map((file) => file.package))])
  return new Map(
    [...names].sort().map((name) => {
      const entry = lock.packages[`node_modules/${name}`]
      if (!entry)
        throw new Error(`package-lock.json has no ${name}, which the embedded layers need. Add it to devDependencies.`)
      return [name, entry]
    }),
  )
}

function keyOf(packages: Map<string, Package>): string {
  const hash = new Bun.CryptoHasher('sha256').update(String(format))
  const own = readdirSync(join(root, 'scripts/embed'))
    .sort()
    .map((name) => `scripts/embed/${name}`)
  for (const file of ['scripts/embed.ts', 'src/geo/us.ts', 'src/geo/ecef.ts', ...own])
    hash.update(file).update(readFileSync(join(root, file)))
  for (const [name, { integrity }] of packages) hash.update(name).update(integrity)
  return hash.digest('hex')
}

/** Writes to a temporary name and renames the complete file, so that nothing opens an incomplete file. */
function build(): void {
  const part = `${target}.${process.pid}.part`
  try {
    const db = createGeoPackage(part)
    const written: WrittenLayer[] = layers.map((layer) => {
      const features = addTable(db, layer)
      // Otherwise the garbage of one layer adds to the peak memory of the next.
      Bun.gc(true)
      return { layer, features, packages }
    })
    addTable(db, manifestOf(written))
    finish(db)
    renameSync(part, target)
  } finally {
    rmSync(part, { force: true })
  }
}
