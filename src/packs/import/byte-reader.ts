import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { PackError } from '../pack-error.ts'

/** A file that is read from its beginning to its end. What `take` gives is good until the next `take`. */
export type ByteReader = {
  size: number
  /** How many bytes were taken so far. */
  position(): number
  /** The next bytes, exactly as many; a file that ends before is refused. */
  take(length: number): Buffer
  skip(length: number): void
  close(): void
}

const chunk_bytes = 1024 * 1024
/** More than this in one piece is no feature but a file of another kind, or a broken one. */
const maxPiece_bytes = 1024 * 1024 * 1024

/** Opens a file for reading it once through. */
export function openByteReader(path: string, name: string): ByteReader {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  let buffer = Buffer.alloc(0)
  let [at, offset] = [0, 0]
  return {
    size,
    position: () => offset - (buffer.length - at),
    take(length) {
      if (buffer.length - at < length) fill(length)
      at += length
      return buffer.subarray(at - length, at)
    },
    skip(length) {
      const buffered = Math.min(length, buffer.length - at)
      at += buffered
      offset += length - buffered
    },
    close: () => closeSync(file),
  }

  function fill(length: number): void {
    const rest = buffer.subarray(at)
    if (length > maxPiece_bytes || offset - rest.length + length > size)
      throw new PackError(
        `${name} is cut off or damaged: ${length} bytes were expected at byte ${offset - rest.length}, and it has ${size}.`,
      )
    const next = Buffer.allocUnsafe(Math.max(length, chunk_bytes))
    rest.copy(next)
    const read = readSync(file, next, rest.length, next.length - rest.length, offset)
    offset += read
    buffer = next.subarray(0, rest.length + read)
    at = 0
    if (buffer.length < length) throw new PackError(`${name} ended while it was read.`)
  }
}

/** Bytes of a file from a place; fewer where it ends. */
export function readBytesAt(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset))
  } finally {
    closeSync(file)
  }
}
