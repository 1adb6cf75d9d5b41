import { projectionOf } from '../geo/projection.ts'
import type { Box } from './box-bound.ts'
import { PackRefused } from './pack-refused.ts'
import type { Unproject } from './pack-shape.ts'

/** A coordinate system as a GeoPackage describes it. */
export type Srs = { srs_name: string; organization: string; organization_coordsys_id: number; definition: string }

/** How to come from a layer's coordinates to degrees; `null` when they are degrees of WGS 84 or NAD 83, which are one to us. Refuses a system that is not known. */
export function unprojectOf(srs: Srs | null, layer: string): Unproject {
  if (!srs || srs.organization_coordsys_id <= 0 || /^\s*$|^undefined$/i.test(srs.definition)) {
    throw new PackRefused(`The layer ${layer} does not say its coordinate system (CRS); EPSG:4326, or one with a definition, was expected.`)
  }
  if (degrees.has(srs.organization_coordsys_id) && srs.organization.toUpperCase() === 'EPSG') return null
  if (/NAD27|North_American_Datum_1927|North American Datum 1927/i.test(srs.definition)) {
    throw new PackRefused(`The layer ${layer} is in ${srs.srs_name}, which lies up to 100 m beside WGS 84; EPSG:4326, or a system on WGS 84 or NAD 83, was expected.`)
  }
  if (/^\s*(GEOGCS|GEOGCRS|GEODCRS)\[/i.test(srs.definition)) return null
  return projectedBy(srs, layer)
}

/** The box in degrees round a box in a layer's own coordinates. */
export function boxInDegrees(unproject: NonNullable<Unproject>, west: number, east: number, south: number, north: number): Box {
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity }
  let before = NaN
  for (const [x, y] of edgeOf(west, east, south, north)) {
    const [lng, lat] = unproject(x, y)
    const straight = Number.isNaN(before) ? lng : lng + 360 * Math.round((before - lng) / 360)
    before = straight
    box.west = Math.min(box.west, straight)
    box.east = Math.max(box.east, straight)
    box.south = Math.min(box.south, lat)
    box.north = Math.max(box.north, lat)
  }
  if (!Number.isFinite(box.west + box.east + box.south + box.north)) return { west: -180, east: 180, south: -90, north: 90 }
  const [wide, high] = [(box.east - box.west) * bulge + 1e-6, (box.north - box.south) * bulge + 1e-6]
  return { west: box.west - wide, east: box.east + wide, south: box.south - high, north: box.north + high }
}

/** EPSG codes of degrees on WGS 84 and NAD 83 (and its later realisations). */
const degrees = new Set([4326, 4269, 4979, 6318, 6319, 9057])

/** How far an edge of a box may bend beyond the places that are tried on it, as a part of the box. */
const bulge = 0.02
const triesPerEdge = 4

function projectedBy({ srs_name, organization, organization_coordsys_id, definition }: Srs, layer: string): NonNullable<Unproject> {
  try {
    const { inverse } = projectionOf(organization.toUpperCase() === 'EPSG' && definition.trim() === '' ? `EPSG:${organization_coordsys_id}` : definition)
    return (x, y) => {
      const { lat, lng } = inverse(x, y)
      return [lng, lat]
    }
  } catch (cause) {
    throw new PackRefused(`The layer ${layer} is in the coordinate system (CRS) ${srs_name} (${organization}:${organization_coordsys_id}), which is not known here; EPSG:4326 was expected.`, { cause })
  }
}

function* edgeOf(west: number, east: number, south: number, north: number): Generator<readonly [number, number]> {
  const [wide, high] = [(east - west) / triesPerEdge, (north - south) / triesPerEdge]
  for (let i = 0; i < triesPerEdge; i++) yield [west + i * wide, south]
  for (let i = 0; i < triesPerEdge; i++) yield [east, south + i * high]
  for (let i = 0; i < triesPerEdge; i++) yield [east - i * wide, north]
  for (let i = 0; i < triesPerEdge; i++) yield [west, north - i * high]
}
