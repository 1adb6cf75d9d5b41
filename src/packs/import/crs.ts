import { projectionOf, type Projection } from '../../geo/projection.ts'
import { PackError } from '../pack-error.ts'

/** How to come from the coordinates of a file to degrees; `null` when they are degrees of WGS 84 or NAD 83, which are one to us. */
export type ToDegrees = ((x: number, y: number) => { lat: number; lng: number }) | null

/** `crs`: a code, well-known text, or a code with the text behind it. Refuses one that is missing, not known, or on another datum. */
export function toDegreesOf(crs: string | null, name: string): ToDegrees {
  if (crs === null)
    throw new PackError(`${name} does not say its coordinate system (CRS): say it with --crs EPSG:<number>.`)
  if (/EPSG:4267\b|NAD27|North[_ ]American[_ ](?:Datum[_ ])?1927/i.test(crs)) {
    throw new PackError(
      `${name} is on the datum NAD27, which lies up to 100 m beside WGS 84: bring it to EPSG:4326 with ogr2ogr -t_srs EPSG:4326 first.`,
    )
  }
  const [code, definition] = /^(\w+:\d+)\s+(\S[\s\S]*)$/.exec(crs)?.slice(1) ?? [crs, null]
  const projection = tryProjection(code!) ?? (definition ? tryProjection(definition) : null)
  if (!projection)
    throw new PackError(
      `${name} is in the coordinate system (CRS) ${crs.slice(0, 120)}, which is not known here: bring it to EPSG:4326 with ogr2ogr -t_srs EPSG:4326, or say another with --crs.`,
    )
  return projection.isGeographic ? null : projection.inverse
}

function tryProjection(crs: string): Projection | null {
  try {
    return projectionOf(crs)
  } catch {
    return null // there may be a second description of it
  }
}
