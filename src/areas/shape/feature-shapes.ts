import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import { pluralize } from '../../model/text.ts'
import type { ToDegrees } from '../../files/crs.ts'
import type { InputFeature } from '../../files/input-file.ts'
import { normalizeParts } from '../../files/normalize-parts.ts'
import { partsOfWkt } from '../../files/wkt.ts'
import { FileError } from '../../files/file-error.ts'
import type { AreaGeometry } from '../area-schema.ts'

/** A polygon or a line of a file, with its name and its attributes. */
export type FileShape = { name: string; geometry: AreaGeometry; properties: Properties }

/**
 * Returns the shape of a feature; null if it is neither a polygon nor a line. `number` is its position in the file.
 * @throws {FileError} if its geometry is not valid.
 */
export function shapeOfFeature(
  { parts, properties }: InputFeature,
  number: number,
  { toDegrees, name }: { toDegrees: ToDegrees; name: string },
): FileShape | null {
  if (parts !== 'invalid' && parts.every(({ kind }) => kind === 'point')) return null
  const converted = parts === 'invalid' ? parts : normalizeParts(parts, toDegrees)
  const geometry = geometryOf(converted, `Feature ${number} of ${name}`)
  return { name: nameOf(properties) ?? `Shape ${number}`, geometry, properties }
}

/** Returns the area of a well-known text; null if it is none. */
export function areaOfWkt(text: string): AreaGeometry | null {
  try {
    return (
      shapeOfFeature({ parts: partsOfWkt(text), properties: {} }, 1, { toDegrees: null, name: '' })?.geometry ?? null
    )
  } catch {
    return null // No well-formed text, or no valid area.
  }
}

/** The error of a file without polygons and lines. */
export function noShapesError(name: string, ignored: number): FileError {
  const others = ignored === 0 ? '' : ` It has ${pluralize(ignored, 'feature')} of other types.`
  return new FileError(`${name} has no polygons or lines.${others}`)
}

/** Returns the geometry of parts in degrees. @throws {FileError} if it is no area. */
function geometryOf(parts: ReturnType<typeof normalizeParts>, what: string): AreaGeometry {
  if (parts === 'invalid') throw new FileError(`${what} has no valid geometry.`)
  if (!Array.isArray(parts))
    throw new FileError(
      `${what} has the position ${parts.x}, ${parts.y}, which is not on the earth. Positions without a declared coordinate system must be longitude and latitude.`,
    )
  const [polygons, lines] = [
    parts.filter(({ kind }) => kind === 'polygon'),
    parts.filter(({ kind }) => kind === 'line'),
  ]
  if (polygons.length > 0 && lines.length > 0)
    throw new FileError(`${what} has polygons and lines. Use one feature for the polygons and one for the lines.`)
  return polygons.length > 0
    ? geometryOfMembers('Polygon', 'MultiPolygon', polygons.map(pathsOf))
    : geometryOfMembers('LineString', 'MultiLineString', lines.flatMap(pathsOf))
}

function geometryOfMembers(
  single: 'Polygon' | 'LineString',
  multiple: 'MultiPolygon' | 'MultiLineString',
  members: unknown[][],
): AreaGeometry {
  return members.length === 1 ? { type: single, coordinates: members[0]! } : { type: multiple, coordinates: members }
}

function pathsOf({ paths }: GeometryPart): [number, number][][] {
  return paths.map((path) => Array.from({ length: path.length / 2 }, (_, i) => [path[2 * i]!, path[2 * i + 1]!]))
}

const nameKeys = ['name', 'title', 'label', 'namelsad', 'id', 'apn', 'parcel_id', 'parcelid']

/** The name of a feature, from the attribute that usually has it. */
function nameOf(properties: Properties): string | null {
  const byKey = new Map(Object.entries(properties).map(([key, value]) => [key.toLowerCase(), value]))
  for (const key of nameKeys) {
    const value = byKey.get(key)
    if ((typeof value === 'string' && value.trim() !== '') || typeof value === 'number') return String(value)
  }
  return null
}
