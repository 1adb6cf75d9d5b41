type Xy = [x: number, y: number]
/** Attributes of a shape. Numbers are written as numbers. */
export type ShapefileRow = Record<string, string | number>
/** A shape in degrees; `plane` projects it to the coordinates of the file. */
export type DrawnShape = { kind: 'point' | 'line' | 'polygon'; points: Xy[]; row: ShapefileRow }
export type ShapefileProjection = { prj: string; to(at: Xy): Xy }

const kinds = { point: 1, line: 3, polygon: 5 }
const text_bytes = 60
const number = { bytes: 19, decimals: 6 }

/** Returns the files of a shapefile by name. Each shape has one part. */
export function shapefileOf(
  path: string,
  shapes: DrawnShape[],
  { prj, to }: ShapefileProjection,
): Record<string, Uint8Array> {
  const flat = shapes.map(({ points, ...rest }) => ({ ...rest, points: points.map(to) }))
  return {
    [`${path}.shp`]: mainFile(flat),
    [`${path}.shx`]: indexFile(flat),
    [`${path}.dbf`]: table(shapes.map(({ row }) => row)),
    [`${path}.prj`]: new TextEncoder().encode(prj),
  }
}

/** Returns a square of this many degrees around a place, clockwise like an outer ring of a shapefile. */
export function squareAt({ lat, lng }: { lat: number; lng: number }, half: number): Xy[] {
  return [
    [lng - half, lat - half],
    [lng - half, lat + half],
    [lng + half, lat + half],
    [lng + half, lat - half],
    [lng - half, lat - half],
  ]
}

/** Degrees of NAD83. */
export const nad83: ShapefileProjection = {
  prj: 'GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]',
  to: (at) => at,
}

function mainFile(shapes: DrawnShape[]): Uint8Array {
  const records = shapes.map(recordOf)
  return Buffer.concat([headOf(shapes, Buffer.concat(records).length), ...records])
}

/** The offset and length of each shape, in 16-bit words. */
function indexFile(shapes: DrawnShape[]): Uint8Array {
  const index = Buffer.alloc(8 * shapes.length)
  let at = 50
  for (const [i, record] of shapes.map(recordOf).entries()) {
    index.writeInt32BE(at, 8 * i)
    index.writeInt32BE((record.length - 8) / 2, 8 * i + 4)
    at += record.length / 2
  }
  return Buffer.concat([headOf(shapes, index.length), index])
}

function headOf(shapes: DrawnShape[], length: number): Buffer {
  const head = Buffer.alloc(100)
  head.writeInt32BE(9994, 0)
  head.writeInt32BE((100 + length) / 2, 24)
  head.writeInt32LE(1000, 28)
  head.writeInt32LE(kinds[shapes[0]!.kind], 32)
  box(shapes.flatMap(({ points }) => points)).forEach((value, i) => head.writeDoubleLE(value, 36 + i * 8))
  return head
}

function recordOf({ kind, points }: DrawnShape, i: number): Buffer {
  if (kind === 'point') return pointRecordOf(points[0]!, i)
  const record = Buffer.alloc(8 + 48 + points.length * 16)
  record.writeInt32BE(i + 1, 0)
  record.writeInt32BE((record.length - 8) / 2, 4)
  record.writeInt32LE(kinds[kind], 8)
  box(points).forEach((value, at) => record.writeDoubleLE(value, 12 + at * 8))
  record.writeInt32LE(1, 44)
  record.writeInt32LE(points.length, 48)
  points.flat().forEach((value, at) => record.writeDoubleLE(value, 56 + at * 8))
  return record
}

function pointRecordOf(at: Xy, i: number): Buffer {
  const record = Buffer.alloc(28)
  record.writeInt32BE(i + 1, 0)
  record.writeInt32BE(10, 4)
  record.writeInt32LE(kinds.point, 8)
  at.forEach((value, axis) => record.writeDoubleLE(value, 12 + axis * 8))
  return record
}

function box(points: Xy[]): number[] {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function table(rows: ShapefileRow[]): Uint8Array {
  const columns = Object.entries(rows[0]!).map(([name, value]) => ({
    name,
    isNumber: typeof value === 'number',
    bytes: typeof value === 'number' ? number.bytes : text_bytes,
  }))
  const head = Buffer.alloc(32 + columns.length * 32 + 1)
  head.writeUInt8(3, 0)
  head.writeUInt32LE(rows.length, 4)
  head.writeUInt16LE(head.length, 8)
  head.writeUInt16LE(1 + columns.reduce((sum, { bytes }) => sum + bytes, 0), 10)
  for (const [i, { name, isNumber, bytes }] of columns.entries()) {
    head.write(`${name.slice(0, 10).padEnd(11, '\0')}${isNumber ? 'N' : 'C'}`, 32 + i * 32, 'latin1')
    head.writeUInt8(bytes, 32 + i * 32 + 16)
    head.writeUInt8(isNumber ? number.decimals : 0, 32 + i * 32 + 17)
  }
  head.writeUInt8(0x0d, head.length - 1)
  const cell = (value: string | number | undefined, bytes: number) =>
    typeof value === 'number' ? value.toFixed(number.decimals).padStart(bytes) : (value ?? '').padEnd(bytes)
  const body = rows.map((row) => ` ${columns.map(({ name, bytes }) => cell(row[name], bytes)).join('')}`).join('')
  return Buffer.concat([head, Buffer.from(`${body}\x1a`, 'latin1')])
}
