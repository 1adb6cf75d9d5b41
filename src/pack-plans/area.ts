import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { boxesOfPolygons, mergeBoxes, ringOfBox, splitAtAntimeridian, widenBoxes, type QueryBox } from '../geo/boxes.ts'
import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { roundDegrees } from '../geo/text/geojson.ts'
import { insideUs } from '../geo/us.ts'
import { fileErrorText, parseLength_m, pluralize } from '../model/text.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Position } from '../model/source.ts'
import { AreaError, type Counties, type CountyGroup } from './counties.ts'

/** An area for which data is copied: its name, its name in file names, and the polygons that it consists of. */
export type Area = { name: string; id: string; polygons: readonly (readonly (readonly Position[])[])[] }

/** The boxes around an area. */
export function boxesOfArea({ polygons }: Area): QueryBox[] {
  const isBoxes = polygons.every(isBoxPolygon)
  return mergeBoxes(isBoxes ? polygons.flatMap((rings) => boxesOfPolygons([rings])) : boxesOfPolygons(polygons))
}

/** The area as the geometry of GeoJSON, with six decimals. */
export function geometryOfArea({ polygons }: Area): { type: 'MultiPolygon'; coordinates: Area['polygons'] } {
  const rounded = ([lng, lat]: Position): Position => [roundDegrees(lng, 6), roundDegrees(lat, 6)]
  return { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map((ring) => ring.map(rounded))) }
}

/**
 * Finds an area by a text: the name or code of a county, a state or a metropolitan area, `west,south,east,north`, or
 * the path of a GeoJSON file. A name is never taken for a file, even if one has it.
 * @throws {AreaError} if it is none of these, or several counties have the name.
 */
export function parseArea(text: string, counties: Counties): Area {
  if (/\.(geo)?json$/i.test(text)) return areaOfFile(text)
  const area = findNamedArea(text, counties)?.area ?? (existsSync(text) ? areaOfFile(text) : null)
  if (area) return area
  throw noAreaError(text, counties, ', or a GeoJSON file')
}

/** Does the same without files, and returns the text by which the area is found again: a code, or the box. */
export function findArea(text: string, counties: Counties): { area: Area; code: string } {
  const found = findNamedArea(text, counties)
  if (found) return found
  throw noAreaError(text, counties, '')
}

function findNamedArea(text: string, counties: Counties): { area: Area; code: string } | null {
  const numbers = boxNumbersOf(text)
  if (numbers) return { area: areaOfBox(numbers, text), code: numbers.join(',') }
  const group = counties.find(text)
  return group && { area: areaOfCounties(group), code: group.id.replace(/^cbsa-/, 'cbsa:') }
}

function noAreaError(text: string, counties: Counties, alternatives: string): AreaError {
  return new AreaError(
    `${JSON.stringify(text)} is not an area. Use a county ("Boulder County, CO" or 08013), a state (Colorado, CO or 08), a metropolitan area (cbsa:14500), <west>,<south>,<east>,<north>${alternatives}.${counties.suggestionFor(text)}`,
  )
}

function boxNumbersOf(text: string): number[] | null {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  return numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : null
}

/** The boxes around circles of a radius, merged where they overlap. @throws {AreaError} outside the US. */
export function areaAround(points: readonly Point[], radius_m: number, name: string): Area {
  if (points.length === 0) throw new AreaError(`${name} has no points.`)
  if (points.length > maxAreaPoints)
    throw new AreaError(`${name} has ${points.length} points, more than the maximum of ${maxAreaPoints}. Split it.`)
  const outside = points.find((point) => !insideUs(point))
  if (outside) throw new AreaError(`The point ${outside.lat},${outside.lng} is outside the United States.`)
  const boxes = widenBoxes(
    points.map(({ lat, lng }) => ({ w: lng, s: lat, e: lng, n: lat })),
    radius_m,
  )
  const hash = Bun.hash(JSON.stringify([points, radius_m])).toString(36)
  const [first] = points
  const place = points.length === 1 ? `at-${first!.lat}_${first!.lng}` : `sites-${hash}`
  return {
    name: `${points.length === 1 ? name : `${pluralize(points.length, 'site')} of ${name}`}, ${radius_m / 1000} km around`,
    id: fileNameOf(`${place}-${radius_m}m`),
    polygons: boxes.map((box) => [ringOfBox(box)]),
  }
}

/** The meters of a text such as `5km`, `500m` or `3mi`. @throws {AreaError} for another text. */
export function parseRadius(text: string): number {
  const radius_m = parseLength_m(text)
  if (radius_m !== null && radius_m <= maxRadius_m) return radius_m
  throw new AreaError(
    `--radius ${JSON.stringify(text)} is not valid. Use a length with its unit, such as 500m, 5km or 3mi, of at most ${maxRadius_m / 1000} km.`,
  )
}

/** The points of one area. */
export const maxAreaPoints = 10_000
const maxRadius_m = 500_000
const maxFile_bytes = 64 * 1024 * 1024

function areaOfCounties({ name, id, polygons }: CountyGroup): Area {
  return { name, id, polygons: polygons() }
}

function areaOfBox([w, s, e, n]: number[], text: string): Area {
  const box = { w: w!, s: s!, e: e!, n: n! }
  const isValid = box.s < box.n && Math.abs(box.s) <= 90 && Math.abs(box.n) <= 90 && box.w !== box.e
  if (!isValid || [box.w, box.e].some((lng) => Math.abs(lng) > 180))
    throw new AreaError(
      `${JSON.stringify(text)} is not a bounding box. Use <west>,<south>,<east>,<north> in degrees, such as -105.7,39.9,-105.0,40.3.`,
    )
  if (box.e < box.w && box.e + 360 - box.w > 180)
    throw new AreaError(
      `The west edge of ${JSON.stringify(text)} is east of its east edge. Did you mean ${[e, s, w, n].join(',')}?`,
    )
  const boxes = splitAtAntimeridian({ ...box, e: box.e < box.w ? box.e + 360 : box.e })
  return requireInUs({
    name: text,
    id: fileNameOf(`box-${[w, s, e, n].join('_')}`),
    polygons: boxes.map((box) => [ringOfBox(box)]),
  })
}

function areaOfFile(path: string): Area {
  const polygons = polygonsOf(readJson(path), path)
  if (polygons.length === 0)
    throw new AreaError(`${path} has no polygon. For points, use --sites ${path} --radius <length>.`)
  return requireInUs({ name: basename(path), id: fileNameOf(basename(path, extname(path))), polygons })
}

function readJson(path: string): unknown {
  try {
    const { size } = statSync(path)
    if (size > maxFile_bytes)
      throw new AreaError(`${path} has ${size} bytes, more than the maximum of ${maxFile_bytes}.`)
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (cause instanceof AreaError) throw cause
    if (cause instanceof SyntaxError)
      throw new AreaError(`${path} is not GeoJSON. An area needs a GeoJSON file with polygons in degrees.`, { cause })
    throw new AreaError(`Cannot read the area ${path}: ${fileErrorText(cause)}.`, { cause })
  }
}

/** The polygons of a GeoJSON document: a geometry, a feature or a feature collection. */
function polygonsOf(value: unknown, path: string): Position[][][] {
  if (isRecord(value) && Array.isArray(value.features))
    return value.features.flatMap((feature) => polygonsOf(feature, path))
  try {
    return parseGeoJsonGeometry(isRecord(value) && value.type === 'Feature' ? value.geometry : value).polygons
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause
    throw new AreaError(`${path} is not GeoJSON with polygons in degrees.`, { cause })
  }
}

function requireInUs(area: Area): Area {
  const corners = boxesOfArea(area).flatMap(({ w, s, e, n }) => [
    { lat: s, lng: w },
    { lat: s, lng: e },
    { lat: n, lng: w },
    { lat: n, lng: e },
    { lat: (s + n) / 2, lng: (w + e) / 2 },
  ])
  if (corners.some(insideUs)) return area
  throw new AreaError(
    `${area.name} is outside the United States. Longitude comes first: <west>,<south>,<east>,<north>.`,
  )
}

function isBoxPolygon(rings: readonly (readonly Position[])[]): boolean {
  return rings.length === 1 && rings[0]!.length === 5 && new Set(rings[0]!.flatMap(([lng]) => lng)).size === 2
}

/** A text as the name of a part, which begins with a letter or digit, and is short enough for an archive. */
function fileNameOf(text: string): string {
  const name = text.replaceAll(/[^\w.-]+/g, '-').replace(/^\W+/, '')
  if (name !== '' && name.length <= maxName) return name
  const hash = Bun.hash(text).toString(36)
  return `${name === '' ? 'area' : name.slice(0, maxName - hash.length - 1)}-${hash}`
}

/** A path in a tar archive has at most 100 bytes. It also contains the name of the dataset. */
const maxName = 48
