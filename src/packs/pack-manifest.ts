import { join } from 'node:path'
import { ringsContain } from '../geo/polygon.ts'
import type { Extent, FlatPath } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import { FileError, parseJsonObject } from '../files/file-error.ts'
import { readRegularFile } from './check/regular-file.ts'
import { emptyExtent, addToExtent } from '../geo/boxes.ts'

/** The operator's description of a pack: a file next to it with the same name and the extension .json. */
export type PackManifest = {
  vintage: string | null
  license: string | null
  attribution: string | null
  /** Where the data is complete; `null` if the manifest does not say. */
  coverage: PackCoverage | null
  /** The data is also complete this far outside the coverage, in meters; `null` if the manifest does not say. */
  margin_m: number | null
  /** The column that identifies a feature in all parts of a pack. */
  key: string | null
  /** The years of the bands of a raster, the newest first. Empty if the manifest does not say. */
  editions: readonly number[]
  /** When the data was read from the publisher, as an ISO 8601 time. */
  fetchedAt: string | null
  /** The name of the area, such as `Boulder County, CO`. */
  area: string | null
  /** Layer names in the file (`layers` in the manifest), by the catalog's name in lower case. */
  layerNames: ReadonlyMap<string, string>
  /** Column names in the file (`columns` in the manifest), by the catalog's name in lower case. */
  columnNames: ReadonlyMap<string, string>
  sha256: string | null
}

/** An area of a polygon or a box, its polygons, and its bounding box. */
type PackCoverage = { covers(at: Point): boolean; coverage: readonly FlatPath[][]; box: Extent }

/** The default manifest, for a file without one. */
export const emptyManifest: PackManifest = {
  vintage: null,
  license: null,
  attribution: null,
  coverage: null,
  margin_m: null,
  key: null,
  editions: [],
  fetchedAt: null,
  area: null,
  layerNames: new Map(),
  columnNames: new Map(),
  sha256: null,
}

const maxManifest_bytes = 4 * 1024 * 1024

/** The name of a pack's manifest: the extension becomes .json. */
export function manifestName(file: string): string {
  return file.replace(/\.\w+$/, '.json')
}

/** Reads the manifest of a pack; `emptyManifest` if it has none. @throws FileError if it is too large or malformed. */
export function readManifest(folder: string, file: string): PackManifest {
  const name = manifestName(file)
  try {
    const content = readRegularFile(join(folder, name), maxManifest_bytes)
    if ('problem' in content) throw new FileError(`${name} ${content.problem}`)
    return parseManifest(content.bytes.toString('utf8'), name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return emptyManifest
    throw error
  }
}

/** Parses a manifest. @throws FileError that names the malformed member. */
export function parseManifest(text: string, name: string): PackManifest {
  const value = parseJsonObject(text, name)
  const readText = (member: string) => {
    const text = value[member] ?? null
    if (text !== null && typeof text !== 'string') throw manifestError(name, member, 'a string')
    return text
  }
  const sha256 = readText('sha256')?.toLowerCase() ?? null
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) throw manifestError(name, 'sha256', '64 hexadecimal digits')
  return {
    vintage: readText('vintage'),
    license: readText('license'),
    attribution: readText('attribution'),
    sha256,
    coverage: value.coverage === undefined || value.coverage === null ? null : parseCoverage(value.coverage, name),
    margin_m: parseMargin(value.margin_m ?? null, name),
    key: readText('key'),
    editions: parseEditions(value.editions ?? [], name),
    fetchedAt: parseTime(readText('fetched_at'), name),
    area: readText('area'),
    layerNames: parseNames(value.layers, 'layers', name),
    columnNames: parseNames(value.columns, 'columns', name),
  }
}

const isFiniteNumber = (it: unknown): it is number => typeof it === 'number' && Number.isFinite(it)

function parseNames(value: unknown, member: string, name: string): Map<string, string> {
  if (value === undefined || value === null) return new Map()
  if (!isRecord(value))
    throw manifestError(name, member, 'an object that maps names in the catalog to names in the file')
  return new Map(
    Object.entries(value).map(([from, to]) => {
      if (typeof to !== 'string') throw manifestError(name, `${member}.${from}`, 'a string')
      return [from.toLowerCase(), to]
    }),
  )
}

function parseMargin(value: unknown, name: string): number | null {
  if (value === null || (isFiniteNumber(value) && value >= 0)) return value
  throw manifestError(name, 'margin_m', 'a number of meters')
}

function parseEditions(value: unknown, name: string): number[] {
  if (Array.isArray(value) && value.every((year) => Number.isInteger(year))) return value as number[]
  throw manifestError(name, 'editions', 'a list of years, one for each band, the newest first')
}

function parseTime(text: string | null, name: string): string | null {
  if (text === null || (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)))) return text
  throw manifestError(name, 'fetched_at', 'a time such as 2026-11-22T10:00:00Z')
}

function parseCoverage(value: unknown, name: string): PackCoverage {
  if (Array.isArray(value)) return parseBox(value, name)
  const geometry = isRecord(value) && value.type === 'Feature' ? value.geometry : value
  if (!isRecord(geometry) || !Array.isArray(geometry.coordinates)) throw manifestError(name, 'coverage', coverageFormat)
  const { type, coordinates } = geometry
  if (type !== 'Polygon' && type !== 'MultiPolygon') throw manifestError(name, 'coverage', coverageFormat)
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates).map((rings: unknown) => parsePolygon(rings, name))
  return {
    covers: ({ lat, lng }) =>
      polygons.some(({ vertices, starts }) => ringsContain(vertices, starts, 0, starts.length - 1, lng, lat)),
    coverage: polygons.map(({ vertices, starts }) =>
      Array.from({ length: starts.length - 1 }, (_, ring) =>
        Array.from(vertices.subarray(2 * starts[ring]!, 2 * starts[ring + 1]!)),
      ),
    ),
    box: boxOf(polygons.map(({ vertices }) => vertices)),
  }
}

function boxOf(polygons: Float64Array[]): Extent {
  const box = emptyExtent()
  for (const vertices of polygons) {
    for (let i = 0; i < vertices.length; i += 2) addToExtent(box, vertices[i]!, vertices[i + 1]!)
  }
  return box
}

const coverageFormat = '[west, south, east, north] or a GeoJSON Polygon or MultiPolygon'

function parseBox(value: unknown[], name: string): PackCoverage {
  const [west, south, east, north] = value
  if (
    value.length !== 4 ||
    !isFiniteNumber(west) ||
    !isFiniteNumber(south) ||
    !isFiniteNumber(east) ||
    !isFiniteNumber(north) ||
    south > north
  )
    throw manifestError(name, 'coverage', coverageFormat)
  const isBetween = (lng: number) => (west <= east ? lng >= west && lng <= east : lng >= west || lng <= east)
  const box = { west, east: west <= east ? east : east + 360, south, north }
  return {
    covers: ({ lat, lng }) => lat >= south && lat <= north && isBetween(lng),
    coverage: ringsOfBox(box),
    box,
  }
}

/** A box as polygons. One that crosses the antimeridian is there at both ends of the longitudes. */
export function ringsOfBox(box: Extent): FlatPath[][] {
  const shifts = box.east > 180 ? [0, -360] : box.west < -180 ? [0, 360] : [0]
  return shifts.map((shift) => [ringOfExtent({ ...box, west: box.west + shift, east: box.east + shift })])
}

/** The ring of a box, counterclockwise. */
export function ringOfExtent({ west, south, east, north }: Extent): FlatPath {
  return [west, south, east, south, east, north, west, north]
}

function parsePolygon(rings: unknown, name: string): { vertices: Float64Array; starts: Uint32Array } {
  if (!Array.isArray(rings) || rings.length === 0) throw manifestError(name, 'coverage', coverageFormat)
  const vertices: number[] = []
  const starts = [0]
  for (const ring of rings as unknown[]) {
    if (!Array.isArray(ring) || ring.length < 4)
      throw manifestError(name, 'coverage', `${coverageFormat} with at least four positions in each ring`)
    for (const position of ring as unknown[]) {
      const [x, y] = Array.isArray(position) ? (position as unknown[]) : []
      if (!isFiniteNumber(x) || !isFiniteNumber(y))
        throw manifestError(name, 'coverage', `${coverageFormat} with positions in degrees`)
      vertices.push(x, y)
    }
    starts.push(vertices.length / 2)
  }
  return { vertices: Float64Array.from(vertices), starts: Uint32Array.from(starts) }
}

function manifestError(name: string, member: string, expected: string): FileError {
  return new FileError(`${name}: ${member} must be ${expected}.`)
}
