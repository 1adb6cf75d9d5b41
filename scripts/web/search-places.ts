import type { Database } from 'bun:sqlite'
import { feature, type Topology } from 'topojson-client'
import { titleCase } from '../../src/address/tokenizer.ts'
import { airportWords } from '../../src/place/named-places.ts'
import type { PlaceKind, PlaceRecord } from '../../src/place/place-search.ts'
import { labelPointOf } from './state-labels.ts'

/** Enough for a point well inside a county. */
const countyGridSide = 12

/**
 * A town of the map and the search. `isPart` marks a part of a town, which the search finds and the map does not label.
 */
export type TownRow = [name: string, state: string, population: number, lng: number, lat: number, isPart?: 1]
/** The GeoNames code for a part of a town, such as Brooklyn. */
const partOfTown = 'PPLX'

/** Returns all towns, largest first. */
export function townsIn(db: Database): TownRow[] {
  return db
    .query<{ NAME: string; STATE: string; POPULATION: number; FCODE: string; geom: Uint8Array }, []>(
      'SELECT NAME, STATE, POPULATION, FCODE, geom FROM places ORDER BY POPULATION DESC, fid',
    )
    .all()
    .map(({ NAME, STATE, POPULATION, FCODE, geom }): TownRow => [
      NAME,
      STATE,
      POPULATION,
      ...pointOf(geom),
      ...(FCODE === partOfTown ? ([1] as const) : ([] as const)),
    ])
}

/** Returns what the search finds by name, the most important of each kind first. */
export function searchPlaces(
  db: Database,
  towns: readonly TownRow[],
  countyAtlas: string,
): Record<Exclude<PlaceKind, 'zip'>, PlaceRecord[]> {
  return {
    state: statesIn(db, countyAtlas),
    // The name of the capital has its state.
    town: towns.map(([name, state, population, lng, lat]) => [
      name.replace(/, D\.C\.$/, ''),
      state,
      lng,
      lat,
      population,
    ]),
    county: countiesIn(db, countyAtlas),
    airport: airportsIn(db),
    tide_station: tideStationsIn(db),
  }
}

/** Returns the ZIP codes in ascending order, each with its town. */
export function searchZips(db: Database): PlaceRecord[] {
  return db
    .query<{ ZIP: string; PLACE: string | null; STATE: string; geom: Uint8Array }, []>(
      'SELECT ZIP, PLACE, STATE, geom FROM zips ORDER BY ZIP',
    )
    .all()
    .map(({ ZIP, PLACE, STATE, geom }): PlaceRecord => {
      const [lng, lat] = pointOf(geom)
      return PLACE === null ? [ZIP, STATE, lng, lat] : [ZIP, STATE, lng, lat, PLACE]
    })
}

/** Returns the states and territories with a point well inside the largest part of each. */
function statesIn(db: Database, atlas: string): PlaceRecord[] {
  const topology = JSON.parse(atlas) as Topology
  const points = new Map(
    feature(topology, topology.objects.states!).features.map(({ id = '', geometry }) => [
      id,
      labelPointOf(geometry, countyGridSide),
    ]),
  )
  return db
    .query<{ STATEFP: string; STATE_NAME: string; STUSPS: string }, []>(
      'SELECT DISTINCT STATEFP, STATE_NAME, STUSPS FROM counties ORDER BY STATE_NAME',
    )
    .all()
    .flatMap(({ STATEFP, STATE_NAME, STUSPS }): PlaceRecord[] =>
      points.has(STATEFP) ? [[STATE_NAME, STUSPS, ...points.get(STATEFP)!]] : [],
    )
}

/** Returns the counties with a point well inside the largest part of each. */
function countiesIn(db: Database, atlas: string): PlaceRecord[] {
  const topology = JSON.parse(atlas) as Topology
  const points = new Map(
    feature(topology, topology.objects.counties!).features.map(({ id = '', geometry }) => [
      id,
      labelPointOf(geometry, countyGridSide),
    ]),
  )
  return db
    .query<{ GEOID: string; NAMELSAD: string; STUSPS: string }, []>(
      'SELECT GEOID, NAMELSAD, STUSPS FROM counties ORDER BY STUSPS, NAMELSAD',
    )
    .all()
    .map(({ GEOID, NAMELSAD, STUSPS }): PlaceRecord => [NAMELSAD, STUSPS, ...points.get(GEOID)!])
}

/** Returns the airports for public use, those with the longest runways first. */
function airportsIn(db: Database): PlaceRecord[] {
  return db
    .query<{ ARPT_ID: string; ARPT_NAME: string; STATE_CODE: string; geom: Uint8Array }, []>(
      `SELECT ARPT_ID, ARPT_NAME, STATE_CODE, geom FROM airports
       WHERE FACILITY_USE_CODE = 'PU' AND SITE_TYPE_CODE IN ('A', 'C') AND STATE_CODE IS NOT NULL
       ORDER BY LONGEST_RWY_FT DESC, ARPT_ID`,
    )
    .all()
    .map(({ ARPT_ID, ARPT_NAME, STATE_CODE, geom }): PlaceRecord => [
      airportName(ARPT_NAME),
      STATE_CODE,
      ...pointOf(geom),
      ARPT_ID,
    ])
}

/** `CHICAGO O'HARE INTL` as `Chicago O'Hare International`. */
function airportName(name: string): string {
  return name
    .split(' ')
    .map((word) => airportWords[word] ?? titleCase(word))
    .join(' ')
    .replace(/\bO'[a-z]/g, (start) => start.toUpperCase())
}

function tideStationsIn(db: Database): PlaceRecord[] {
  return db
    .query<{ NAME: string; STATE: string; geom: Uint8Array }, []>(
      'SELECT NAME, STATE, geom FROM tide_stations WHERE STATE IS NOT NULL ORDER BY NAME, STATE, fid',
    )
    .all()
    .map(({ NAME, STATE, geom }): PlaceRecord => [NAME, STATE, ...pointOf(geom)])
}

/** Returns the coordinates of a GeoPackage point (header, optional envelope, WKB), rounded to about 100 m. */
function pointOf(geom: Uint8Array): [number, number] {
  const view = new DataView(geom.buffer, geom.byteOffset, geom.byteLength)
  const start = 8 + [0, 32, 48, 48, 64][(geom[3]! >> 1) & 7]!
  const isLittle = view.getUint8(start) === 1
  return [rounded(view.getFloat64(start + 5, isLittle)), rounded(view.getFloat64(start + 13, isLittle))]
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1000) / 1000
}
