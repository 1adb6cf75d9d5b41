import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { FileError } from '../file-error.ts'
import { assemblePolygons } from '../assemble-polygons.ts'
import type { CoordinateGrid } from './geodatabase-fields.ts'
import { createPackedNumberReader, type PackedNumbers } from './geodatabase-numbers.ts'
import type { InputFeature } from '../input-file.ts'

const curvesFlag = 0x20_00_00_00
const pointTypes = new Set([1, 9, 11, 21, 52])
const multipointTypes = new Set([8, 18, 20, 28, 53])
const lineTypes = new Set([3, 10, 13, 23, 50])
const polygonTypes = new Set([5, 15, 19, 25, 51])
const surfaceTypes = new Set([31, 32, 54])

/**
 * The parts of a geometry of a file geodatabase, without Z and M. `'invalid'` if its bytes are not a geometry.
 * @throws FileError if it has curves or is a 3D surface.
 */
export function partsOfGeodatabaseGeometry(bytes: Buffer, grid: CoordinateGrid, name: string): InputFeature['parts'] {
  try {
    const reader = createPackedNumberReader(bytes)
    const flags = reader.varuint()
    const type = flags % 256
    if (surfaceTypes.has(type))
      throw new FileError(`${name} contains multipatches (3D surfaces). Expected points, lines or polygons.`)
    if (pointTypes.has(type)) return pointOf(reader, grid)
    if (multipointTypes.has(type)) return multipointOf(reader, grid)
    // The flag is tested by division, because the number has more than 31 bits.
    const hasCurves = Math.floor(flags / curvesFlag) % 2 === 1
    if (lineTypes.has(type))
      return pathsOf(reader, grid, { hasCurves, name }).map((path) => ({ kind: 'line', paths: [path] }))
    return polygonTypes.has(type) ? assemblePolygons(pathsOf(reader, grid, { hasCurves, name })) : 'invalid'
  } catch (error) {
    if (error instanceof RangeError) return 'invalid'
    throw error
  }
}

/** The coordinates of a point are stored plus one; zero means an empty point. */
function pointOf(reader: PackedNumbers, grid: CoordinateGrid): GeometryPart[] {
  const [x, y] = [reader.varuint(), reader.varuint()]
  return x === 0 || y === 0
    ? []
    : [{ kind: 'point', paths: [[grid.x + (x - 1) / grid.scale, grid.y + (y - 1) / grid.scale]] }]
}

function multipointOf(reader: PackedNumbers, grid: CoordinateGrid): GeometryPart[] {
  const points = reader.varuint()
  if (points === 0) return []
  skipBox(reader)
  const [path] = readPaths(reader, grid, [points])
  return Array.from({ length: points }, (_, i) => ({ kind: 'point', paths: [path!.slice(2 * i, 2 * i + 2)] }))
}

function pathsOf(
  reader: PackedNumbers,
  grid: CoordinateGrid,
  { hasCurves, name }: { hasCurves: boolean; name: string },
): number[][] {
  const points = reader.varuint()
  if (points === 0) return []
  const paths = reader.varuint()
  if (hasCurves && reader.varuint() > 0)
    throw new FileError(
      `${name} has curves. Convert the layer to straight lines with: ogr2ogr -nlt CONVERT_TO_LINEAR -f GPKG out.gpkg <the .gdb folder> <layer>`,
    )
  skipBox(reader)
  requireBytes(reader, paths - 1)
  const lengths = Array.from({ length: paths - 1 }, () => reader.varuint())
  const last = points - lengths.reduce((sum, length) => sum + length, 0)
  if (paths < 1 || last < 0) throw new RangeError('The paths have more points than the geometry.')
  return readPaths(reader, grid, [...lengths, last]).filter((path) => path.length > 0)
}

/** Reads paths. Each number is the difference to the point before, also across paths. */
function readPaths(reader: PackedNumbers, grid: CoordinateGrid, lengths: readonly number[]): number[][] {
  let [x, y] = [0, 0]
  return lengths.map((length) => {
    requireBytes(reader, 2 * length)
    const path: number[] = Array.from({ length: 2 * length })
    for (let i = 0; i < length; i++) {
      x += reader.varint()
      y += reader.varint()
      path[2 * i] = grid.x + x / grid.scale
      path[2 * i + 1] = grid.y + y / grid.scale
    }
    return path
  })
}

/** Each number has at least one byte, so a length that the bytes cannot have allocates nothing. */
function requireBytes(reader: PackedNumbers, numbers: number): void {
  if (numbers > reader.remaining()) throw new RangeError('The geometry is shorter than its points.')
}

function skipBox(reader: PackedNumbers): void {
  for (let side = 0; side < 4; side++) reader.varuint()
}
