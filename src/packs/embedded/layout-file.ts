/**
 * A file of typed arrays that a process can map into memory and read in place.
 *
 * | bytes   | content                                                                              |
 * |---------|--------------------------------------------------------------------------------------|
 * | 0–7     | `FSLAYOUT`                                                                           |
 * | 8–11    | format version                                                                       |
 * | 12–15   | `byteOrderMark`, in the byte order of the arrays                                     |
 * | 16–23   | length of the file in bytes, as a 64-bit float                                       |
 * | 24–27   | CRC-32 of all bytes from 64 on                                                       |
 * | 28–31   | length of the directory in bytes                                                     |
 * | 64–     | the directory: JSON, in which `{ "$array": n }` stands for array `n` of `arrays`     |
 * | …       | the arrays, each at a multiple of 64 bytes, in the order of the directory            |
 *
 * The directory is `{ tree, arrays }`. A *packed* file has each array in the form that compresses best.
 */
const magic = 'FSLAYOUT'
const formatVersion = 1
const byteOrderMark = 0x01_02_03_04
const alignment_bytes = 64

const arrayKinds = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i16: Int16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
}
type ArrayKind = keyof typeof arrayKinds
type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int16Array | Int32Array | Float32Array | Float64Array
/** `step`: the array is packed. Values are differences to the value `step` places before (0: the values themselves). */
type ArrayEntry = { kind: ArrayKind; length: number; step?: number }
type Directory = { tree: unknown; arrays: ArrayEntry[] }

/** The file is not a complete layout of this version and byte order. */
export class LayoutError extends Error {}

/** Writes a tree of plain values and typed arrays as a file. */
export function encodeLayout(tree: unknown, options: { packed?: boolean } = {}): Uint8Array<ArrayBuffer> {
  return joinBlocks(layoutBlocks(tree, options))
}

/** Returns the file as blocks to write one after the other, so that it need not be in memory as a whole. */
export function layoutBlocks(tree: unknown, { packed = false }: { packed?: boolean } = {}): Uint8Array[] {
  const entries: ArrayEntry[] = []
  const contents: Uint8Array[] = []
  const plainTree = replaceArrays(tree, (array) => {
    const { bytes, step } = packed ? packArray(array) : { bytes: bytesOf(array), step: undefined }
    contents.push(bytes)
    return entries.push({ kind: kindOf(array), length: array.length, ...(step !== undefined && { step }) }) - 1
  })
  const directory = new TextEncoder().encode(JSON.stringify({ tree: plainTree, arrays: entries } satisfies Directory))
  const head = new Uint8Array(align(alignment_bytes + directory.length))
  const blocks = [head, ...contents.flatMap((it) => [it, new Uint8Array(align(it.length) - it.length)])]
  head.set(new TextEncoder().encode(magic))
  head.set(directory, alignment_bytes)
  const header = new DataView(head.buffer)
  header.setUint32(8, formatVersion, true)
  new Uint32Array(head.buffer, 12, 1)[0] = byteOrderMark
  header.setFloat64(16, totalLength(blocks), true)
  header.setUint32(28, directory.length, true)
  const checksum = createChecksum()
  for (const block of blocks) checksum.update(block)
  header.setUint32(24, checksum.value(), true)
  return blocks
}

/** Joins the blocks of a file. */
export function joinBlocks(blocks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Bun.concatArrayBuffers([...blocks], Infinity, true)
}

/**
 * Reads a file. The arrays are views of `file`, which must begin at the start of its buffer; those of a packed file are
 * copies. Does not read the arrays, so it does not verify their checksum.
 * @throws LayoutError if the header does not fit.
 */
export function decodeLayout<Tree>(file: Uint8Array<ArrayBuffer>): Tree {
  const { directoryLength } = readHeader(file, file.length)
  const { tree, arrays } = JSON.parse(
    new TextDecoder().decode(file.subarray(alignment_bytes, alignment_bytes + directoryLength)),
  ) as Directory
  let offset = align(alignment_bytes + directoryLength)
  const decoded = arrays.map((entry) => {
    const length_bytes = entry.length * arrayKinds[entry.kind].BYTES_PER_ELEMENT
    const at = offset
    offset = align(offset + length_bytes)
    return entry.step === undefined
      ? new arrayKinds[entry.kind](file.buffer, file.byteOffset + at, entry.length)
      : unpackArray(entry, entry.step, file.subarray(at, at + length_bytes))
  })
  return restoreArrays(tree, decoded) as Tree
}

/** The length and the checksum that a file declares, from its first bytes. @throws LayoutError if they do not fit. */
export function readHeader(head: Uint8Array, actualLength: number): { checksum: number; directoryLength: number } {
  if (head.length < alignment_bytes || new TextDecoder().decode(head.subarray(0, magic.length)) !== magic)
    throw new LayoutError(`The file does not begin with ${magic}.`)
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const version = view.getUint32(8, true)
  if (version !== formatVersion)
    throw new LayoutError(`The file has format version ${version}, expected ${formatVersion}.`)
  if (new Uint32Array(head.slice(12, 16).buffer)[0] !== byteOrderMark)
    throw new LayoutError('The file has the byte order of another processor.')
  const length = view.getFloat64(16, true)
  if (length !== actualLength) throw new LayoutError(`The file has ${actualLength} bytes, expected ${length}.`)
  return { checksum: view.getUint32(24, true), directoryLength: view.getUint32(28, true) }
}

/** Computes the checksum of a file from its blocks, in order. The first block has at least the header. */
export function createChecksum(): { update(block: Uint8Array): void; value(): number } {
  let crc: number | null = null
  return {
    update(block) {
      crc = crc === null ? Bun.hash.crc32(block.subarray(alignment_bytes)) : Bun.hash.crc32(block, crc)
    },
    value: () => crc ?? 0,
  }
}

function totalLength(blocks: readonly Uint8Array[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0)
}

function align(offset: number): number {
  return Math.ceil(offset / alignment_bytes) * alignment_bytes
}

function bytesOf(array: TypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function kindOf(array: TypedArray): ArrayKind {
  return (Object.keys(arrayKinds) as ArrayKind[]).find((kind) => array instanceof arrayKinds[kind])!
}

function replaceArrays(value: unknown, numberOf: (array: TypedArray) => number): unknown {
  if (ArrayBuffer.isView(value)) return { $array: numberOf(value as TypedArray) }
  if (Array.isArray(value)) return value.map((it) => replaceArrays(it, numberOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, replaceArrays(it, numberOf)]))
}

function restoreArrays(value: unknown, arrays: TypedArray[]): unknown {
  if (Array.isArray(value)) return value.map((it) => restoreArrays(it, arrays))
  if (typeof value !== 'object' || value === null) return value
  if ('$array' in value) return arrays[value.$array as number]
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, restoreArrays(it, arrays)]))
}

/** Differences are taken of integers of four bytes: coordinates (x, y) and ascending numbers. */
const steps = [0, 1, 2]

/** Chooses the step whose bytes compress best. The bytes of equal significance stand together. */
function packArray(array: TypedArray): { bytes: Uint8Array; step: number } {
  const canSubtract = array instanceof Int32Array || array instanceof Uint32Array
  const candidates = steps
    .filter((step) => step === 0 || canSubtract)
    .map((step) => {
      const bytes = toPlanes(step === 0 ? array : differencesOf(array as Int32Array, step))
      return { step, bytes, size: Bun.zstdCompressSync(bytes, { level: 3 }).length }
    })
  return candidates.reduce((best, it) => (it.size < best.size ? it : best))
}

function unpackArray({ kind, length }: ArrayEntry, step: number, planes: Uint8Array): TypedArray {
  const array = new arrayKinds[kind](length)
  if (step > 0) addDifferences(new Int32Array(array.buffer), step, planes)
  else {
    const bytes = bytesOf(array)
    const size = array.BYTES_PER_ELEMENT
    for (let k = 0; k < size; k++) for (let i = 0; i < length; i++) bytes[i * size + k] = planes[k * length + i]!
  }
  return array
}

/** Fills integers from the planes of their differences: in one pass, because the first start waits for it. */
function addDifferences(integers: Int32Array, step: number, planes: Uint8Array): void {
  const { length } = integers
  const [second, third, fourth] = [length, 2 * length, 3 * length]
  for (let i = 0; i < length; i++) {
    const low = planes[i]! | (planes[second + i]! << 8) | (planes[third + i]! << 16)
    const zigzag = low | (planes[fourth + i]! << 24)
    integers[i] = ((zigzag >>> 1) ^ -(zigzag & 1)) + (i < step ? 0 : integers[i - step]!)
  }
}

/** Differences modulo 2^32, with the sign in the lowest bit, so that small ones have few bits. */
function differencesOf(array: Int32Array | Uint32Array, step: number): Uint32Array {
  return Uint32Array.from(array, (value, i) => {
    const difference = (value - (i < step ? 0 : array[i - step]!)) | 0
    return (difference << 1) ^ (difference >> 31)
  })
}

function toPlanes(array: TypedArray): Uint8Array {
  const bytes = bytesOf(array)
  const size = array.BYTES_PER_ELEMENT
  const planes = new Uint8Array(bytes.length)
  for (let k = 0; k < size; k++)
    for (let i = 0; i < array.length; i++) planes[k * array.length + i] = bytes[i * size + k]!
  return planes
}
