import { projectionOf } from '../geo/projection.ts'
import type { DegreeBox } from './box-distance.ts'
import { PackError } from './pack-error.ts'
import type { Unproject } from './pack-shape.ts'

/** A coordinate system as a GeoPackage describes it. */
export type Srs = { srs_name: string; organization: string; organization_coordsys_id: number; definition: string }

/** How to come from a layer's coordinates to degrees; `null` when they are degrees of WGS 84 or NAD 83, which are one to us. Refuses a system that is not known. */
export function unprojectOf(srs: Srs | null, layer: string): Unproject {
  if (!srs || srs.organization_coordsys_id <= 0 || /^\s*$|^undefined$/i.test(srs.definition)) {
    throw new PackError(
      `The layer ${layer} does not say its coordinate system (CRS); EPSG:4326, or one with a definition, was expected.`,
    )
  }
  if (geographicCodes.has(srs.organization_coordsys_id) && srs.organization.toUpperCase() === 'EPSG') return null
  if (/NAD27|North_American_Datum_1927|North American Datum 1927/i.test(srs.definition)) {
    throw new PackError(
      `The layer ${layer} is in ${srs.srs_name}, which lies up to 100 m beside WGS 84; EPSG:4326, or a system on WGS 84 or NAD 83, was expected.`,
    )
  }
  if (/^\s*(GEOGCS|GEOGCRS|GEODCRS)\[/i.test(srs.definition)) return null
  return createUnproject(srs, layer)
}

/** The box in degrees round a box in a layer's own coordinates. */
export function boxInDegrees(
  unproject: NonNullable<Unproject>,
  west: number,
  east: number,
  south: number,
  north: number,
): DegreeBox {
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity }
  let previous = NaN
  for (const [x, y] of sampleBoundary(west, east, south, north)) {
    const [lng, lat] = unproject(x, y)
    const unwrapped = Number.isNaN(previous) ? lng : lng + 360 * Math.round((previous - lng) / 360)
    previous = unwrapped
    box.west = Math.min(box.west, unwrapped)
    box.east = Math.max(box.east, unwrapped)
    box.south = Math.min(box.south, lat)
    box.north = Math.max(box.north, lat)
  }
  if (!Number.isFinite(box.west + box.east + box.south + box.north))
    return { west: -180, east: 180, south: -90, north: 90 }
  const [marginLng, marginLat] = [
    (box.east - box.west) * marginFraction + 1e-6,
    (box.north - box.south) * marginFraction + 1e-6,
  ]
  return {
    west: box.west - marginLng,
    east: box.east + marginLng,
    south: box.south - marginLat,
    north: box.north + marginLat,
  }
}

/** EPSG codes of degrees on WGS 84 and NAD 83 (and its later realisations). */
const geographicCodes = new Set([4326, 4269, 4979, 6318, 6319, 9057])

/** How far an edge of a box may bend beyond the places that are tried on it, as a part of the box. */
const marginFraction = 0.02
const samplesPerEdge = 4

function createUnproject(
  { srs_name, organization, organization_coordsys_id, definition }: Srs,
  layer: string,
): NonNullable<Unproject> {
  try {
    const { inverse } = projectionOf(
      organization.toUpperCase() === 'EPSG' && definition.trim() === ''
        ? `EPSG:${organization_coordsys_id}`
        : definition,
    )
    return (x, y) => {
      const { lat, lng } = inverse(x, y)
      return [lng, lat]
    }
  } catch (cause) {
    throw new PackError(
      `The layer ${layer} is in the coordinate system (CRS) ${srs_name} (${organization}:${organization_coordsys_id}), which is not known here; EPSG:4326 was expected.`,
      { cause },
    )
  }
}

function* sampleBoundary(
  west: number,
  east: number,
  south: number,
  north: number,
): Generator<readonly [number, number]> {
  const [stepX, stepY] = [(east - west) / samplesPerEdge, (north - south) / samplesPerEdge]
  for (let i = 0; i < samplesPerEdge; i++) yield [west + i * stepX, south]
  for (let i = 0; i < samplesPerEdge; i++) yield [east, south + i * stepY]
  for (let i = 0; i < samplesPerEdge; i++) yield [east - i * stepX, north]
  for (let i = 0; i < samplesPerEdge; i++) yield [west, north - i * stepY]
}
