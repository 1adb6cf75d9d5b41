import { zipSync } from 'fflate'

type Shape = { kind: 'line' | 'polygon'; points: [lng: number, lat: number][]; row: Record<string, string> }

const kinds = { line: 3, polygon: 5 }
const textMax_bytes = 40

/** A shapefile with one part a feature and columns of text, as publishers hand it out: in a ZIP archive. */
export function shapefileZip(name: string, shapes: Shape[]): Uint8Array {
  return zipSync({ [`${name}.shp`]: mainFile(shapes), [`${name}.dbf`]: table(shapes.map(({ row }) => row)), [`${name}.prj`]: new TextEncoder().encode(wgs84) })
}

const wgs84 = 'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

function mainFile(shapes: Shape[]): Uint8Array {
  const records = shapes.map(recordOf)
  const head = Buffer.alloc(100)
  head.writeInt32BE(9994, 0)
  head.writeInt32BE((100 + Buffer.concat(records).length) / 2, 24)
  head.writeInt32LE(1000, 28)
  head.writeInt32LE(kinds[shapes[0]!.kind], 32)
  box(shapes.flatMap(({ points }) => points)).forEach((value, i) => head.writeDoubleLE(value, 36 + i * 8))
  return Buffer.concat([head, ...records])
}

function recordOf({ kind, points }: Shape, i: number): Buffer {
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

function box(points: [number, number][]): number[] {
  const [lngs, lats] = [points.map(([lng]) => lng), points.map(([, lat]) => lat)]
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)]
}

function table(rows: Record<string, string>[]): Uint8Array {
  const names = Object.keys(rows[0]!)
  const head = Buffer.alloc(32 + names.length * 32 + 1)
  head.writeUInt8(3, 0)
  head.writeUInt32LE(rows.length, 4)
  head.writeUInt16LE(head.length, 8)
  head.writeUInt16LE(1 + names.length * textMax_bytes, 10)
  for (const [i, name] of names.entries()) {
    head.write(`${name.slice(0, 10).padEnd(11, '\0')}C`, 32 + i * 32, 'latin1')
    head.writeUInt8(textMax_bytes, 32 + i * 32 + 16)
  }
  head.writeUInt8(0x0d, head.length - 1)
  const body = rows.map((row) => ` ${names.map((name) => (row[name] ?? '').padEnd(textMax_bytes)).join('')}`).join('')
  return Buffer.concat([head, Buffer.from(`${body}\x1a`, 'latin1')])
}
