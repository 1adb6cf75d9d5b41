import { projectionOf } from '../../geo/projection.ts'
import { FileError } from '../../files/file-error.ts'
import type { Srs } from '../../files/geopackage/geopackage.ts'
import type { Unproject } from './pack-shape.ts'
import type { Extent } from '../../model/area.ts'
import { emptyExtent, addToExtent } from '../../geo/boxes.ts'

/**
 * Returns the conversion from a layer's coordinates to degrees; `null` if they are degrees on WGS 84 or NAD 83, which
 * we treat as equal.
 * @throws FileError if the coordinate system is missing, unknown or on NAD27.
 */
export function unprojectOf(srs: Srs | null, layer: string): Unproject {
  if (!srs || srs.organization_coordsys_id <= 0 || /^\s*$|^undefined$/i.test(srs.definition)) {
    throw new FileError(
      `The layer ${layer} has no coordinate system (CRS). Expected EPSG:4326 or another system with a definition.`,
    )
  }
  if (geographicCodes.has(srs.organization_coordsys_id) && srs.organization.toUpperCase() === 'EPSG') return null
  if (/NAD27|North_American_Datum_1927|North American Datum 1927/i.test(srs.definition)) {
    throw new FileError(
      `The layer ${layer} is in ${srs.srs_name}, which differs from WGS 84 by up to 100 m. Expected EPSG:4326 or another system on WGS 84 or NAD 83.`,
    )
  }
  if (/^\s*(GEOGCS|GEOGCRS|GEODCRS)\[/i.test(srs.definition)) return null
  return createUnproject(srs, layer)
}

/** The bounds in degrees of a box in a layer's coordinates. */
export function boxInDegrees(unproject: NonNullable<Unproject>, layerBox: Extent): Extent {
  const box = emptyExtent()
  let previous = NaN
  for (const [x, y] of sampleBoundary(layerBox)) {
    const [lng, lat] = unproject(x, y)
    const unwrapped = Number.isNaN(previous) ? lng : lng + 360 * Math.round((previous - lng) / 360)
    previous = unwrapped
    addToExtent(box, unwrapped, lat)
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

/** EPSG codes of geographic systems on WGS 84, and on NAD 83 and its later realizations. */
const geographicCodes = new Set([4326, 4269, 4979, 6318, 6319, 9057])

/** How far a projected edge may bend beyond its sample points, as a fraction of the box. */
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
    throw new FileError(
      `The layer ${layer} is in an unknown coordinate system (CRS): ${srs_name} (${organization}:${organization_coordsys_id}). Expected EPSG:4326.`,
      { cause },
    )
  }
}

function* sampleBoundary({ west, east, south, north }: Extent): Generator<readonly [number, number]> {
  const [stepX, stepY] = [(east - west) / samplesPerEdge, (north - south) / samplesPerEdge]
  for (let i = 0; i < samplesPerEdge; i++) yield [west + i * stepX, south]
  for (let i = 0; i < samplesPerEdge; i++) yield [east, south + i * stepY]
  for (let i = 0; i < samplesPerEdge; i++) yield [east - i * stepX, north]
  for (let i = 0; i < samplesPerEdge; i++) yield [west, north - i * stepY]
}
