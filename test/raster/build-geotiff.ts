import { deflateSync, zstdCompressSync } from 'node:zlib'

const samples = {
  uint8: { bytes: 1, format: 1 },
  int8: { bytes: 1, format: 2 },
  uint16: { bytes: 2, format: 1 },
  int16: { bytes: 2, format: 2 },
  uint32: { bytes: 4, format: 1 },
  int32: { bytes: 4, format: 2 },
  float32: { bytes: 4, format: 3 },
  float64: { bytes: 8, format: 3 },
}
const compressions = { none: 1, lzw: 5, deflate: 8, zstd: 50_000 }

/**
 * Describes a file. Only size and values are required. Default: tiled, uncompressed float32 in degrees at 40 N 100 W.
 */
export type TiffSpec = {
  width: number
  height: number
  value: (x: number, y: number, band: number) => number
  type?: keyof typeof samples
  /** The side of a tile in cells, a multiple of 16. */
  tile?: number
  /** The rows of a strip, instead of tiles. */
  strip?: number
  bands?: number
  /** Stores the bands in separate planes. */
  planar?: boolean
  compression?: keyof typeof compressions
  predictor?: 1 | 2 | 3
  nodata?: string
  /** 4000 to 4999 are in degrees. 0: no coordinate system. null: no GeoTIFF tags. */
  epsg?: number | null
  /** The GeoTIFF keys of a user-defined system: integers for codes, an array of one for a double. */
  keys?: Record<number, number | [number]>
  /** The outer corner of the first cell, and the size of a cell. A southward step is negative. */
  origin?: [number, number]
  step?: [number, number]
  /** The origin is the center of the first cell. */
  point?: boolean
  /** The GDAL metadata XML. */
  metadata?: string
  bigEndian?: boolean
  bigTiff?: boolean
  /** The number of overviews, each half the size of the previous one. */
  overviews?: number
  /** Writes a mask of one bit a cell as an image of its own, after the overviews: whether a cell has a value. */
  mask?: (x: number, y: number) => boolean
  /** Writes the directory before the data, as in a COG. */
  headFirst?: boolean
  /** Chunks without data. */
  sparse?: (chunk: number) => boolean
  /** Tags that replace the correct ones, for corrupt files. */
  overriddenTags?: Record<number, Tag>
}
type Tag = { type: number; values: number[] | string }

/** Builds a small GeoTIFF. */
export function buildGeotiff(form: TiffSpec): Uint8Array<ArrayBuffer> {
  const { bigEndian = false, bigTiff = false, overviews = 0 } = form
  const order = !bigEndian
  const head = new Uint8Array(bigTiff ? 16 : 8)
  const view = new DataView(head.buffer)
  view.setUint16(0, bigEndian ? 0x4d4d : 0x4949)
  view.setUint16(2, bigTiff ? 43 : 42, order)
  if (bigTiff) view.setUint16(4, 8, order)
  const pieces = [head]
  let end = head.length
  const put = (bytes: Uint8Array<ArrayBuffer>) => {
    const padded = new Uint8Array(bytes.length + (bytes.length % 2))
    padded.set(bytes)
    pieces.push(padded)
    end += padded.length
    return end - padded.length
  }
  let link = { bytes: head, at: bigTiff ? 8 : 4 }
  for (let level = 0; level <= overviews + (form.mask ? 1 : 0); level++) {
    const isMask = level > overviews
    const { chunks, tags } = isMask ? maskOf(form) : imageOf(level === 0 ? form : halved(form, level))
    if (level > 0) tags.set(254, { type: 4, values: [isMask ? 4 : 1] })
    const longs = bigTiff ? 16 : 4
    const tiled = form.strip === undefined
    const sizes = chunks.map((chunk) => chunk.length)
    tags.set(tiled ? 325 : 279, { type: longs, values: sizes })
    const offsets = form.headFirst
      ? offsetsAfter(
          end + lengthOf(new Map([...tags, [tiled ? 324 : 273, { type: longs, values: sizes }]]), { order, bigTiff }),
          sizes,
        )
      : chunks.map((chunk) => (chunk.length === 0 ? 0 : put(chunk)))
    tags.set(tiled ? 324 : 273, { type: longs, values: offsets })
    for (const [tag, lie] of Object.entries(form.overriddenTags ?? {})) tags.set(Number(tag), lie)
    const directory = directoryOf(tags, { order, bigTiff }, put)
    const at = put(directory.bytes)
    writeOffset(link.bytes, link.at, at, { order, bigTiff })
    link = { bytes: pieces.at(-1)!, at: directory.next }
    if (form.headFirst) for (const chunk of chunks) put(chunk)
  }
  return joined(pieces)
}

/** The size of a directory with all its values. */
function lengthOf(tags: Map<number, Tag>, form: { order: boolean; bigTiff: boolean }): number {
  let length = 0
  const even = (bytes: Uint8Array) => {
    length += bytes.length + (bytes.length % 2)
    return 0
  }
  even(directoryOf(tags, form, even).bytes)
  return length
}

/** The offsets of consecutive chunks. 0 for a chunk without data. */
function offsetsAfter(begin: number, sizes: number[]): number[] {
  let next = begin
  return sizes.map((size) => {
    const at = next
    next += size + (size % 2)
    return size === 0 ? 0 : at
  })
}

function halved(form: TiffSpec, level: number): TiffSpec {
  const factor = 2 ** level
  const { nodata: _nodata, metadata: _metadata, ...plain } = form
  return {
    ...plain,
    epsg: null,
    width: Math.ceil(form.width / factor),
    height: Math.ceil(form.height / factor),
    value: () => 77,
  }
}

/** The mask has the chunks of the image. Its rows of bits begin with a byte. */
function maskOf(form: TiffSpec): { chunks: Uint8Array<ArrayBuffer>[]; tags: Map<number, Tag> } {
  const { compression = 'none', bands: _bands, nodata: _nodata, metadata: _metadata, ...plain } = form
  const value = (x: number, y: number) => Number(form.mask!(x, y))
  const image = imageOf({ ...plain, epsg: null, type: 'uint8', predictor: 1, compression: 'none', value })
  const row_cells = form.strip === undefined ? (form.tile ?? 64) : form.width
  const chunks = image.chunks.map((cells) => compressed(packed(cells, row_cells), compression))
  const tags = new Map(image.tags)
  tags.set(258, { type: 3, values: [1] })
  tags.set(259, { type: 3, values: [compressions[compression]] })
  tags.set(262, { type: 3, values: [4] })
  return { chunks, tags }
}

function packed(cells: Uint8Array, row_cells: number): Uint8Array<ArrayBuffer> {
  const row_bytes = Math.ceil(row_cells / 8)
  const bits = new Uint8Array((cells.length / row_cells) * row_bytes)
  for (const [i, cell] of cells.entries()) {
    const [row, column] = [Math.floor(i / row_cells), i % row_cells]
    bits[row * row_bytes + (column >> 3)]! |= cell << (7 - (column % 8))
  }
  return bits
}

function imageOf(form: TiffSpec): { chunks: Uint8Array<ArrayBuffer>[]; tags: Map<number, Tag> } {
  const {
    width,
    height,
    type = 'float32',
    tile = 64,
    strip,
    bands = 1,
    planar = false,
    compression = 'none',
    predictor = 1,
  } = form
  const chunkWidth = strip === undefined ? tile : width
  const chunkHeight = strip ?? tile
  const across = Math.ceil(width / chunkWidth)
  const down = Math.ceil(height / chunkHeight)
  const planes = planar ? bands : 1
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let plane = 0; plane < planes; plane++) {
    for (let row = 0; row < down; row++) {
      for (let column = 0; column < across; column++) {
        const rows = strip === undefined ? chunkHeight : Math.min(chunkHeight, height - row * chunkHeight)
        const box = { x: column * chunkWidth, y: row * chunkHeight, width: chunkWidth, height: rows }
        const ofBands = planar ? [plane] : Array.from({ length: bands }, (_, band) => band)
        chunks.push(
          form.sparse?.(chunks.length) ? new Uint8Array(0) : compressed(rawOf(form, box, ofBands), compression),
        )
      }
    }
  }
  const { bytes, format } = samples[type]
  const each = (value: number) => ({ type: 3, values: Array.from({ length: bands }, () => value) })
  const tags = new Map<number, Tag>([
    [256, { type: 4, values: [width] }],
    [257, { type: 4, values: [height] }],
    [258, each(bytes * 8)],
    [259, { type: 3, values: [compressions[compression]] }],
    [262, { type: 3, values: [1] }],
    [277, { type: 3, values: [bands] }],
    [284, { type: 3, values: [planar ? 2 : 1] }],
    [339, each(format)],
  ])
  if (predictor !== 1) tags.set(317, { type: 3, values: [predictor] })
  if (strip === undefined) {
    tags.set(322, { type: 3, values: [tile] })
    tags.set(323, { type: 3, values: [tile] })
  } else {
    tags.set(278, { type: 4, values: [strip] })
  }
  for (const [tag, value] of georeference(form)) tags.set(tag, value)
  if (form.nodata !== undefined) tags.set(42113, { type: 2, values: form.nodata })
  if (form.metadata !== undefined) tags.set(42112, { type: 2, values: form.metadata })
  return { chunks, tags }
}

function georeference({
  epsg = 4326,
  keys: own,
  origin = [-100, 40],
  step = [0.01, -0.01],
  point = false,
}: TiffSpec): [number, Tag][] {
  if (epsg === null) return []
  const isGeographic = epsg >= 4000 && epsg < 5000
  const system: Record<number, number | [number]> =
    epsg === 0 ? {} : { 1024: isGeographic ? 2 : 1, [isGeographic ? 2048 : 3072]: epsg }
  const keys = Object.entries({ ...system, 1025: point ? 2 : 1, ...own }).toSorted(([a], [b]) => Number(a) - Number(b))
  const measures: number[] = []
  const directory = [1, 1, 0, keys.length]
  for (const [key, value] of keys) {
    if (typeof value === 'number') directory.push(Number(key), 0, 1, value)
    else directory.push(Number(key), 34736, 1, measures.push(value[0]) - 1)
  }
  const place: [number, Tag][] =
    step[1] > 0
      ? [[34264, { type: 12, values: [step[0], 0, 0, origin[0], 0, step[1], 0, origin[1], 0, 0, 0, 0, 0, 0, 0, 1] }]]
      : [
          [33550, { type: 12, values: [step[0], -step[1], 0] }],
          [33922, { type: 12, values: [0, 0, 0, origin[0], origin[1], 0] }],
        ]
  const numbers: [number, Tag][] = measures.length === 0 ? [] : [[34736, { type: 12, values: measures }]]
  return [...place, [34735, { type: 3, values: directory }], ...numbers]
}

/** The uncompressed bytes of a tile. Cells outside the image are 0. */
function rawOf(
  form: TiffSpec,
  box: { x: number; y: number; width: number; height: number },
  bands: number[],
): Uint8Array<ArrayBuffer> {
  const { type = 'float32', predictor = 1, bigEndian = false } = form
  const { bytes } = samples[type]
  const rowBytes = box.width * bands.length * bytes
  const raw = new Uint8Array(rowBytes * box.height)
  const view = new DataView(raw.buffer)
  for (let y = 0; y < box.height; y++) {
    const values: number[] = []
    for (let x = 0; x < box.width; x++) {
      const isInside = box.x + x < form.width && box.y + y < form.height
      for (const band of bands) values.push(isInside ? form.value(box.x + x, box.y + y, band) : 0)
    }
    const differences = predictor === 2 ? values.map((value, i) => value - (values[i - bands.length] ?? 0)) : values
    for (const [i, value] of differences.entries()) write(view, y * rowBytes + i * bytes, value, type, !bigEndian)
    if (predictor === 3) raw.set(shuffled(values, bands.length, type), y * rowBytes)
  }
  return raw
}

function write(view: DataView, at: number, value: number, type: keyof typeof samples, order: boolean): void {
  if (type === 'float32') view.setFloat32(at, value, order)
  else if (type === 'float64') view.setFloat64(at, value, order)
  else if (samples[type].bytes === 1) view.setUint8(at, value)
  else if (samples[type].bytes === 2) view.setUint16(at, value, order)
  else view.setUint32(at, value, order)
}

/**
 * Predictor 3: the first bytes of all values, then the second bytes and so on, each as a difference to the previous.
 */
function shuffled(values: number[], stride: number, type: keyof typeof samples): Uint8Array {
  const { bytes } = samples[type]
  const plain = new Uint8Array(values.length * bytes)
  const view = new DataView(plain.buffer)
  for (const [i, value] of values.entries()) write(view, i * bytes, value, type, false)
  const planes = new Uint8Array(plain.length)
  for (let i = 0; i < values.length; i++) {
    for (let byte = 0; byte < bytes; byte++) planes[byte * values.length + i] = plain[i * bytes + byte]!
  }
  return planes.map((byte, i) => byte - (planes[i - stride] ?? 0))
}

function compressed(raw: Uint8Array<ArrayBuffer>, compression: keyof typeof compressions): Uint8Array<ArrayBuffer> {
  if (compression === 'deflate') return new Uint8Array(deflateSync(raw))
  if (compression === 'zstd') return new Uint8Array(zstdCompressSync(raw))
  return compression === 'lzw' ? lzw(raw) : raw
}

/** TIFF LZW: codes of 9 to 12 bits, high bits first. The width grows one code early. */
function lzw(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const out: number[] = []
  let held = 0
  let heldBits = 0
  const emit = (code: number, width: number) => {
    held = (held << width) | code
    heldBits += width
    while (heldBits >= 8) {
      heldBits -= 8
      out.push((held >> heldBits) & 255)
      held &= (1 << heldBits) - 1
    }
  }
  let table = new Map<number, number>()
  let next = 258
  let width = 9
  emit(256, width)
  let code = -1
  for (const byte of raw) {
    if (code < 0) {
      code = byte
      continue
    }
    const known = table.get(code * 256 + byte)
    if (known !== undefined) {
      code = known
      continue
    }
    emit(code, width)
    table.set(code * 256 + byte, next++)
    if (next === 2 ** width && width < 12) width++
    if (next === 4094) {
      emit(256, width)
      table = new Map()
      next = 258
      width = 9
    }
    code = byte
  }
  if (code >= 0) emit(code, width)
  next++
  emit(257, next >= 2 ** width && width < 12 ? width + 1 : width)
  emit(0, 7)
  return new Uint8Array(out)
}

type Kind = { order: boolean; bigTiff: boolean }
const typeBytes: Record<number, number> = { 2: 1, 3: 2, 4: 4, 12: 8, 16: 8 }

function directoryOf(
  tags: Map<number, Tag>,
  kind: Kind,
  put: (bytes: Uint8Array<ArrayBuffer>) => number,
): { bytes: Uint8Array<ArrayBuffer>; next: number } {
  const { order, bigTiff } = kind
  const [entryBytes, countBytes, valueBytes] = bigTiff ? [20, 8, 8] : [12, 2, 4]
  const bytes = new Uint8Array(countBytes + tags.size * entryBytes + valueBytes)
  const view = new DataView(bytes.buffer)
  if (bigTiff) view.setBigUint64(0, BigInt(tags.size), order)
  else view.setUint16(0, tags.size, order)
  for (const [i, [tag, { type, values }]] of [...tags].toSorted(([a], [b]) => a - b).entries()) {
    const at = countBytes + i * entryBytes
    const value = typeof values === 'string' ? new TextEncoder().encode(`${values}\0`) : numbersOf(type, values, order)
    const count = value.length / typeBytes[type]!
    view.setUint16(at, tag, order)
    view.setUint16(at + 2, type, order)
    if (bigTiff) view.setBigUint64(at + 4, BigInt(count), order)
    else view.setUint32(at + 4, count, order)
    if (value.length <= valueBytes) bytes.set(value, at + entryBytes - valueBytes)
    else writeOffset(bytes, at + entryBytes - valueBytes, put(new Uint8Array(value)), kind)
  }
  return { bytes, next: bytes.length - valueBytes }
}

function numbersOf(type: number, values: number[], order: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * typeBytes[type]!)
  const view = new DataView(bytes.buffer)
  for (const [i, value] of values.entries()) {
    if (type === 3) view.setUint16(i * 2, value, order)
    else if (type === 4) view.setUint32(i * 4, value, order)
    else if (type === 12) view.setFloat64(i * 8, value, order)
    else view.setBigUint64(i * 8, BigInt(value), order)
  }
  return bytes
}

function writeOffset(bytes: Uint8Array<ArrayBuffer>, at: number, value: number, { order, bigTiff }: Kind): void {
  const view = new DataView(bytes.buffer)
  if (bigTiff) view.setBigUint64(at, BigInt(value), order)
  else view.setUint32(at, value, order)
}

function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
