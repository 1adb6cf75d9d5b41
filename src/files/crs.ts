import { projectionOf, type Projection } from '../geo/projection.ts'
import { FileError } from './file-error.ts'

/**
 * Converts a file's coordinates to degrees; `null` if they are degrees on WGS 84 or NAD 83, which we treat as equal.
 */
export type ToDegrees = ((x: number, y: number) => { lat: number; lng: number }) | null

/**
 * Returns the conversion to degrees for a coordinate system. `crs` is a code, well-known text, or a code followed by
 * the text. `advice`: what else can be done about an unknown system.
 * @throws FileError if the system is missing, unknown, or on NAD27.
 */
export function toDegreesOf(
  crs: string | null,
  name: string,
  advice = ', or set its correct CRS with --crs',
): ToDegrees {
  if (crs === null)
    throw new FileError(`${name} does not declare its coordinate system (CRS). Set it with --crs EPSG:<number>.`)
  if (/EPSG:4267\b|NAD27|North[_ ]American[_ ](?:Datum[_ ])?1927/i.test(crs)) {
    throw new FileError(
      `${name} is on the datum NAD27, which differs from WGS 84 by up to 100 m. Convert it first with ogr2ogr -t_srs EPSG:4326.`,
    )
  }
  const [code, definition] = /^(\w+:\d+)\s+(\S[\s\S]*)$/.exec(crs)?.slice(1) ?? [crs, null]
  const projection = tryProjection(code!) ?? (definition ? tryProjection(definition) : null)
  if (!projection)
    throw new FileError(
      `${name} is in an unknown coordinate system (CRS): ${crs.slice(0, 120)}. Convert the file with ogr2ogr -t_srs EPSG:4326${advice}.`,
    )
  return projection.isGeographic ? null : projection.inverse
}

function tryProjection(crs: string): Projection | null {
  try {
    return projectionOf(crs)
  } catch {
    return null // The caller may have a second description.
  }
}
