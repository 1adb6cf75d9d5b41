import type { FileShape } from '../../areas/shape/feature-shapes.ts'
import type { ShapesOfFile } from '../../areas/shape/shapes-file.ts'
import { insideUs } from '../../geo/us.ts'
import { wktPattern } from '../../files/wkt.ts'
import { FileError } from '../../files/file-error.ts'
import { RequestError } from '../request.ts'

/** The form of a shape that is drawn, or that a list of coordinates has. */
export type DrawnForm = 'polygon' | 'line'

/** The largest file that the page reads. */
const shapesFileMax_bytes = 5 * 1024 ** 2

/** Reads the shapes of a file. @throws {RequestError} if it cannot be read. */
export async function readShapesOfFile(file: File): Promise<ShapesOfFile> {
  if (file.size > shapesFileMax_bytes)
    throw unreadable(
      `${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MB. The maximum is 5 MB. Use the command fieldstone area for a larger file.`,
    )
  return readShapes(new Uint8Array(await file.arrayBuffer()), file.name)
}

/** Reads pasted GeoJSON, KML, WKT, or coordinates with the latitude first. @throws {RequestError} if it is none of them. */
export async function readShapesOfText(text: string, form: DrawnForm): Promise<ShapesOfFile> {
  const trimmed = text.trim()
  if (/^[{<]/.test(trimmed) || wktPattern.test(trimmed))
    return readShapes(new TextEncoder().encode(trimmed), 'The text')
  const positions = positionsOf(trimmed)
  const swapped = positions?.find(([lng, lat]) => !insideUs({ lat, lng }) && insideUs({ lat: lng, lng: lat }))
  if (swapped)
    throw unreadable(`The latitude comes first: ${swapped[0]}, ${swapped[1]} instead of ${swapped[1]}, ${swapped[0]}.`)
  const least = form === 'polygon' ? 3 : 2
  if (!positions || positions.length < least)
    throw unreadable(
      `A ${form} needs at least ${least} coordinates, one per line, such as 39.7392, -104.9903. GeoJSON, KML and WKT work too.`,
    )
  return { shapes: [shapeOf(positions, form)], ignored: 0 }
}

type Position = [lng: number, lat: number]

/** Returns the shape of positions in order. A polygon may repeat its first position at its end. */
export function shapeOf(positions: readonly Position[], form: DrawnForm): FileShape {
  if (form === 'line')
    return { name: 'Line', geometry: { type: 'LineString', coordinates: [...positions] }, properties: {} }
  const [first, last] = [positions[0]!, positions.at(-1)!]
  const isClosed = positions.length > 3 && first[0] === last[0] && first[1] === last[1]
  const ring = isClosed ? positions : [...positions, first]
  return { name: 'Polygon', geometry: { type: 'Polygon', coordinates: [[...ring]] }, properties: {} }
}

function positionsOf(text: string): Position[] | null {
  const numbers = text.match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? []
  const isPlain = /^[-\d.,;\s]*$/.test(text)
  if (!isPlain || numbers.length % 2 === 1) return null
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i + 1]!, numbers[2 * i]!])
}

async function readShapes(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<ShapesOfFile> {
  // The readers and their projections are loaded on demand.
  const { readShapesFile } = await import('../../areas/shape/shapes-file.ts')
  try {
    return await readShapesFile(bytes, name)
  } catch (error) {
    if (error instanceof FileError) throw unreadable(error.message)
    throw error
  }
}

function unreadable(message: string): RequestError {
  return new RequestError(0, 'file_unreadable', message)
}
