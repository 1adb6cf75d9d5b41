import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { FileError } from '../file-error.ts'

/** A row of a table: its number from 1, and where it starts in the table. */
type RowOffset = { id: number; offset: number }

const header_bytes = 16
const trailer_bytes = 16
const supportedVersion = 3
/** Offsets are stored in blocks. A block in which no row exists is not stored. */
const rowsPerBlock = 1024
const maxBitmap_bytes = 16 * 1024 * 1024

/** Lists the rows of a table from its `.gdbtablx`, without deleted ones. @throws FileError if the file is corrupt. */
export function* listRowOffsets(path: string, name: string): Generator<RowOffset> {
  if (!existsSync(path)) throw new FileError(`${name} has no file .gdbtablx, so its rows cannot be found.`)
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const read = (offset: number, length: number): Buffer => {
      if (offset + length > size) throw corruptOffsetsError(name)
      const bytes = Buffer.alloc(length)
      if (readSync(file, bytes, 0, length, offset) < length) throw corruptOffsetsError(name)
      return bytes
    }
    const header = read(0, header_bytes)
    const [version, storedBlocks, rows, offset_bytes] = [0, 4, 8, 12].map((at) => header.readUInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ]
    if (version !== supportedVersion || offset_bytes < 4 || offset_bytes > 6) throw corruptOffsetsError(name)
    const block_bytes = rowsPerBlock * offset_bytes
    const storedBlockOf = readBlockMap(read, header_bytes + storedBlocks * block_bytes, { storedBlocks, rows, name })
    for (let block = 0; block * rowsPerBlock < rows; block++) {
      const stored = storedBlockOf(block)
      if (stored === null) continue
      const offsets = read(header_bytes + stored * block_bytes, block_bytes)
      const rowsInBlock = Math.min(rowsPerBlock, rows - block * rowsPerBlock)
      yield* Array.from({ length: rowsInBlock }, (_, i) => ({
        id: block * rowsPerBlock + i + 1,
        offset: offsets.readUIntLE(i * offset_bytes, offset_bytes),
      })).filter(({ offset }) => offset !== 0)
    }
  } finally {
    closeSync(file)
  }
}

/** Reads which blocks are stored. Returns a function to the position of a block; null if it is not stored. */
function readBlockMap(
  read: (offset: number, length: number) => Buffer,
  at: number,
  { storedBlocks, rows, name }: { storedBlocks: number; rows: number; name: string },
): (block: number) => number | null {
  const blocks = Math.ceil(rows / rowsPerBlock)
  const hasBitmap = storedBlocks > 0 && read(at, trailer_bytes).readUInt32LE(0) > 0
  if (!hasBitmap) {
    if (blocks > storedBlocks) throw corruptOffsetsError(name)
    return (block) => block
  }
  const bitmap_bytes = Math.ceil(blocks / 8)
  if (bitmap_bytes > maxBitmap_bytes) throw corruptOffsetsError(name)
  const bitmap = read(at + trailer_bytes, bitmap_bytes)
  let before = 0
  // Blocks are requested in order, so the stored blocks before are counted meanwhile.
  return (block) => {
    if (((bitmap[block >> 3]! >> (block & 7)) & 1) === 0) return null
    if (before >= storedBlocks) throw corruptOffsetsError(name)
    return before++
  }
}

function corruptOffsetsError(name: string): FileError {
  return new FileError(`${name} is a corrupt geodatabase table: its file .gdbtablx is truncated or wrong.`)
}
