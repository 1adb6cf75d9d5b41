import { closeSync, createWriteStream, openSync, readSync, statSync, writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileError } from './file-error.ts'

/** The layout of one band of cells in degrees, row by row from the north. `center` is the center of the first cell. */
export type CellLayout = {
  width: number
  height: number
  bits: number
  kind: 'unsigned' | 'signed' | 'float'
  littleEndian: boolean
  nodata: number | null
  center: [lng: number, lat: number]
  step: [lng: number, lat: number]
  epsg: number
}

const header_bytes = 8
const rowsPerStrip = 8
const maxRaster_bytes = 4_000_000_000

/** Writes a stream of cells as a GeoTIFF in strips of a few rows. */
export async function writeGeotiff(path: string, cells: CellLayout, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { width, height, bits, kind, littleEndian, nodata, center, step, epsg } = cells
  const row_bytes = (width * bits) / 8
  if (row_bytes * height > maxRaster_bytes)
    throw new FileError(
      `A raster of ${width} by ${height} cells is too large to be converted here. Convert it with gdal_translate -of COG.`,
    )
  const strips = Math.ceil(height / rowsPerStrip)
  const rowsOf = (strip: number) => Math.min(rowsPerStrip, height - strip * rowsPerStrip)
  const end = header_bytes + row_bytes * height
  const tags: TiffTag[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, [bits]],
    [259, 3, [1]],
    [262, 3, [1]],
    [273, 4, Array.from({ length: strips }, (_, i) => header_bytes + i * rowsPerStrip * row_bytes)],
    [277, 3, [1]],
    [278, 4, [rowsPerStrip]],
    [279, 4, Array.from({ length: strips }, (_, i) => rowsOf(i) * row_bytes)],
    [339, 3, [sampleFormats[kind]]],
    [33550, 12, [step[0], step[1], 0]],
    [33922, 12, [0, 0, 0, center[0], center[1], 0]],
    ...geoKeyTags({ 1024: 2, 1025: 2, 2048: epsg }),
    ...(nodata === null ? [] : [[42113, 2, String(nodata)] satisfies TiffTag]),
  ]
  const begin = end + (end % 2)
  await pipeline(
    Readable.from(
      fileChunks(
        headerOf(begin, littleEndian),
        bytes,
        { end, begin },
        encodeDirectory(
          tags.map((tag) => encodeEntry(tag, littleEndian)),
          begin,
          { littleEndian, next: 0 },
        ),
      ),
    ),
    createWriteStream(path),
  )
}

/**
 * Replaces the geo keys of a GeoTIFF in meters. Changes nothing else. Leaves a file alone that was reprojected to
 * degrees.
 */
export function writeGeoKeys(path: string, keys: Readonly<Record<string, number>>, name: string): void {
  const file = openSync(path, 'r+')
  try {
    const header = readAt(file, 0, header_bytes, name)
    const littleEndian = header.toString('latin1', 0, 2) === 'II'
    const view = new DataView(header.buffer, header.byteOffset)
    if (view.getUint16(2, littleEndian) !== 42)
      throw new FileError(
        `${name} is a BigTIFF, so its coordinate system cannot be corrected here. Correct it with gdal_translate -a_srs <CRS>.`,
      )
    const at = view.getUint32(4, littleEndian)
    const count = numberAt(readAt(file, at, 2, name), littleEndian, 2)
    const old = readAt(file, at + 2, count * entry_bytes + 4, name)
    const oldEntries = Array.from({ length: count }, (_, i) =>
      old.subarray(i * entry_bytes, (i + 1) * entry_bytes),
    ).map((entry): DirectoryEntry => ({ tag: numberAt(entry, littleEndian, 2), header: entry, value: null }))
    if (isInDegrees(file, oldEntries, { littleEndian, name })) return
    const tags = geoKeyTags(keys)
    const entries = [
      ...oldEntries.filter(({ tag }) => ![34735, 34736, 34737].includes(tag)),
      ...tags.map((tag) => encodeEntry(tag, littleEndian)),
    ]
    const { size } = statSync(path)
    const begin = size + (size % 2)
    const directory = encodeDirectory(entries, begin, {
      littleEndian,
      next: numberAt(old.subarray(count * entry_bytes), littleEndian, 4),
    })
    writeSync(file, directory, 0, directory.length, begin)
    writeSync(file, headerOf(begin, littleEndian), 0, header_bytes, 0)
  } finally {
    closeSync(file)
  }
}

/** A tag of a TIFF directory: its number, its type and its values. */
export type TiffTag = [tag: number, type: 2 | 3 | 4 | 12, values: number[] | string]
/** An entry of a TIFF directory. `value` holds a value that is too long for the entry itself. */
type DirectoryEntry = { tag: number; header: Buffer; value: Buffer | null }

/** Whether the raster's origin is within the range of degrees. */
function isInDegrees(
  file: number,
  entries: DirectoryEntry[],
  { littleEndian, name }: { littleEndian: boolean; name: string },
): boolean {
  const tiepoint = [
    { tag: 34264, x: 3, y: 7 },
    { tag: 33922, x: 3, y: 4 },
  ].flatMap(({ tag, x, y }) => {
    const entry = entries.find((it) => it.tag === tag)
    return entry ? [{ from: numberAt(entry.header.subarray(8), littleEndian, 4), x, y }] : []
  })[0]
  if (!tiepoint) return false
  const [x, y] = [tiepoint.x, tiepoint.y].map((i) =>
    new DataView(Uint8Array.from(readAt(file, tiepoint.from + 8 * i, 8, name)).buffer).getFloat64(0, littleEndian),
  ) as [number, number]
  return Math.abs(x) <= 360 && Math.abs(y) <= 90
}

/** Keys from here on have double values; lower keys have codes. */
const firstDoubleKey = 3_077

/** The tags for the geo key directory and the double values it refers to. */
export function geoKeyTags(keys: Readonly<Record<string, number>>): TiffTag[] {
  const sortedKeys = Object.entries({ 1025: 1, ...keys })
    .map(([key, value]) => ({ key: Number(key), value }))
    .toSorted((a, b) => a.key - b.key)
  const doubleKeys = sortedKeys.filter(({ key }) => key >= firstDoubleKey)
  const directory = sortedKeys.flatMap(({ key, value }) =>
    key >= firstDoubleKey ? [key, 34736, 1, doubleKeys.findIndex((it) => it.key === key)] : [key, 0, 1, value],
  )
  return [
    [34735, 3, [1, 1, 0, sortedKeys.length, ...directory]],
    ...(doubleKeys.length === 0 ? [] : [[34736, 12, doubleKeys.map(({ value }) => value)] satisfies TiffTag]),
  ]
}

const entry_bytes = 12
const sampleFormats = { unsigned: 1, signed: 2, float: 3 }
const typeSizes = { 2: 1, 3: 2, 4: 4, 12: 8 }

async function* fileChunks(
  header: Buffer,
  bytes: AsyncIterable<Uint8Array>,
  { end, begin }: { end: number; begin: number },
  directory: Buffer,
): AsyncGenerator<Uint8Array> {
  yield header
  let written = header_bytes
  for await (const chunk of bytes) {
    written += chunk.length
    yield chunk
  }
  if (written !== end)
    throw new FileError(
      `The raster has ${written - header_bytes} bytes of cells, but its header declares ${end - header_bytes}.`,
    )
  if (begin > end) yield new Uint8Array(begin - end)
  yield directory
}

/** The header of a TIFF whose directory begins at a byte. */
export function headerOf(directory: number, littleEndian: boolean): Buffer {
  const header = Buffer.alloc(header_bytes)
  const view = new DataView(header.buffer, header.byteOffset)
  header.write(littleEndian ? 'II' : 'MM', 'latin1')
  view.setUint16(2, 42, littleEndian)
  view.setUint32(4, directory, littleEndian)
  return header
}

/** Encodes a tag. */
export function encodeEntry([tag, type, values]: TiffTag, littleEndian: boolean): DirectoryEntry {
  const value =
    typeof values === 'string' ? Buffer.from(`${values}\0`, 'latin1') : Buffer.alloc(values.length * typeSizes[type])
  const view = new DataView(value.buffer, value.byteOffset)
  if (typeof values !== 'string')
    for (const [i, it] of values.entries()) valueWriters[type](view, i * typeSizes[type], it, littleEndian)
  const header = Buffer.alloc(entry_bytes)
  const to = new DataView(header.buffer, header.byteOffset)
  to.setUint16(0, tag, littleEndian)
  to.setUint16(2, type, littleEndian)
  to.setUint32(4, value.length / typeSizes[type], littleEndian)
  if (value.length > 4) return { tag, header, value }
  value.copy(header, 8)
  return { tag, header, value: null }
}

const valueWriters = {
  2: (view: DataView, at: number, value: number) => view.setUint8(at, value),
  3: (view: DataView, at: number, value: number, littleEndian: boolean) => view.setUint16(at, value, littleEndian),
  4: (view: DataView, at: number, value: number, littleEndian: boolean) => view.setUint32(at, value, littleEndian),
  12: (view: DataView, at: number, value: number, littleEndian: boolean) => view.setFloat64(at, value, littleEndian),
}

/** A TIFF directory that starts at byte `begin`, followed by its long values. */
export function encodeDirectory(
  entries: DirectoryEntry[],
  begin: number,
  { littleEndian, next }: { littleEndian: boolean; next: number },
): Buffer {
  const sorted = entries.toSorted((a, b) => a.tag - b.tag)
  const count = Buffer.alloc(2)
  new DataView(count.buffer, count.byteOffset).setUint16(0, sorted.length, littleEndian)
  const link = Buffer.alloc(4)
  new DataView(link.buffer, link.byteOffset).setUint32(0, next, littleEndian)
  let at = begin + 2 + sorted.length * entry_bytes + 4
  const values: Buffer[] = []
  for (const { header, value } of sorted) {
    if (!value) continue
    new DataView(header.buffer, header.byteOffset).setUint32(8, at, littleEndian)
    values.push(value, Buffer.alloc(value.length % 2))
    at += value.length + (value.length % 2)
  }
  return Buffer.concat([count, ...sorted.map(({ header }) => header), link, ...values])
}

function readAt(file: number, offset: number, length: number, name: string): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, length, offset) < length)
    throw new FileError(`${name} is truncated: expected ${length} bytes at byte ${offset}.`)
  return bytes
}

function numberAt(bytes: Buffer, littleEndian: boolean, length: 2 | 4): number {
  return littleEndian ? bytes.readUIntLE(0, length) : bytes.readUIntBE(0, length)
}
