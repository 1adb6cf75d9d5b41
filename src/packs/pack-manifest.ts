import { ringsContain } from '../geo/polygon.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import { PackRefused } from './pack-refused.ts'

/** What an operator says of a file beside it, in a file of the same name that ends in .json. */
export type Manifest = {
  vintage: string | null
  licence: string | null
  attribution: string | null
  /** Whether the data is complete at a point; `null` when the manifest does not say. */
  covers: ((at: Point) => boolean) | null
  /** By what name the file has a layer (`layers`) or a column (`columns`) that the catalog reads; names in lower case. */
  layers: ReadonlyMap<string, string>
  columns: ReadonlyMap<string, string>
  sha256: string | null
}

/** A file without a manifest says nothing. */
export const noManifest: Manifest = { vintage: null, licence: null, attribution: null, covers: null, layers: new Map(), columns: new Map(), sha256: null }

/** Reads a manifest. Refuses one of the wrong form with the name of the member. */
export function manifestOf(text: string, name: string): Manifest {
  const value = parsed(text, name)
  const textAt = (member: string) => {
    const it = value[member] ?? null
    if (it !== null && typeof it !== 'string') throw wrong(name, member, 'a text')
    return it
  }
  const sha256 = textAt('sha256')?.toLowerCase() ?? null
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) throw wrong(name, 'sha256', '64 hexadecimal digits')
  return {
    vintage: textAt('vintage'), licence: textAt('licence'), attribution: textAt('attribution'), sha256,
    covers: value.coverage === undefined || value.coverage === null ? null : coverageOf(value.coverage, name),
    layers: namesOf(value.layers, 'layers', name),
    columns: namesOf(value.columns, 'columns', name),
  }
}

const isNumber = (it: unknown): it is number => typeof it === 'number' && Number.isFinite(it)

function parsed(text: string, name: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PackRefused(`${name} is no JSON: ${(cause as Error).message}.`, { cause })
  }
  if (!isRecord(value)) throw new PackRefused(`${name} was expected to hold a JSON object.`)
  return value
}

function namesOf(value: unknown, member: string, name: string): Map<string, string> {
  if (value === undefined || value === null) return new Map()
  if (!isRecord(value)) throw wrong(name, member, 'an object from the name that the catalog reads to the name in the file')
  return new Map(Object.entries(value).map(([from, to]) => {
    if (typeof to !== 'string') throw wrong(name, `${member}.${from}`, 'a text')
    return [from.toLowerCase(), to]
  }))
}

function coverageOf(value: unknown, name: string): (at: Point) => boolean {
  if (Array.isArray(value)) return boxOf(value, name)
  const geometry = isRecord(value) && value.type === 'Feature' ? value.geometry : value
  if (!isRecord(geometry) || !Array.isArray(geometry.coordinates)) throw wrong(name, 'coverage', coverageForm)
  const { type, coordinates } = geometry
  if (type !== 'Polygon' && type !== 'MultiPolygon') throw wrong(name, 'coverage', coverageForm)
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates).map((rings: unknown) => polygonOf(rings, name))
  return ({ lat, lng }) => polygons.some(({ vertices, starts }) => ringsContain(vertices, starts, 0, starts.length - 1, lng, lat))
}

const coverageForm = '[west, south, east, north], or a GeoJSON Polygon or MultiPolygon'

function boxOf(value: unknown[], name: string): (at: Point) => boolean {
  const [west, south, east, north] = value
  if (value.length !== 4 || !isNumber(west) || !isNumber(south) || !isNumber(east) || !isNumber(north) || south > north) throw wrong(name, 'coverage', coverageForm)
  const isBetween = (lng: number) => (west <= east ? lng >= west && lng <= east : lng >= west || lng <= east)
  return ({ lat, lng }) => lat >= south && lat <= north && isBetween(lng)
}

function polygonOf(rings: unknown, name: string): { vertices: Float64Array; starts: Uint32Array } {
  if (!Array.isArray(rings) || rings.length === 0) throw wrong(name, 'coverage', coverageForm)
  const vertices: number[] = []
  const starts = [0]
  for (const ring of rings as unknown[]) {
    if (!Array.isArray(ring) || ring.length < 4) throw wrong(name, 'coverage', `${coverageForm}, of rings with at least four positions`)
    for (const position of ring as unknown[]) {
      const [x, y] = Array.isArray(position) ? (position as unknown[]) : []
      if (!isNumber(x) || !isNumber(y)) throw wrong(name, 'coverage', `${coverageForm}, of positions in degrees`)
      vertices.push(x, y)
    }
    starts.push(vertices.length / 2)
  }
  return { vertices: Float64Array.from(vertices), starts: Uint32Array.from(starts) }
}

function wrong(name: string, member: string, wanted: string): PackRefused {
  return new PackRefused(`${name}: ${member} was expected to be ${wanted}.`)
}
