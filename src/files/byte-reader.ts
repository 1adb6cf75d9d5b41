import { closeSync, createReadStream, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { FileError } from './file-error.ts'
import { utf16EncodingOf } from './table/upload-text.ts'

/** Reads a file from start to end. The bytes returned by `take` are valid until the next `take`. */
export type ByteReader = {
  size: number
  /** The number of bytes taken so far. */
  position(): number
  /** Returns exactly this many bytes. @throws FileError if the file ends before. */
  take(length: number): Buffer
  skip(length: number): void
  close(): void
}

const chunk_bytes = 1024 * 1024
/** No feature is this large. A larger request means that the file is corrupt or has another format. */
const largestPiece_bytes = 64 * 1024 * 1024

/** Opens a file for one sequential read. */
export function openByteReader(path: string, name: string, maxPiece_bytes = largestPiece_bytes): ByteReader {
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
    if (length > maxPiece_bytes)
      throw new FileError(
        `${name} is corrupt, or has a feature that is too large: it declares ${length} bytes at byte ${offset - rest.length}. The maximum is ${maxPiece_bytes}.`,
      )
    if (offset - rest.length + length > size)
      throw new FileError(
        `${name} is truncated or corrupt: expected ${length} bytes at byte ${offset - rest.length}, but it has ${size} bytes.`,
      )
    const next = Buffer.allocUnsafe(Math.max(length, chunk_bytes))
    rest.copy(next)
    const read = readSync(file, next, rest.length, next.length - rest.length, offset)
    offset += read
    buffer = next.subarray(0, rest.length + read)
    at = 0
    if (buffer.length < length) throw new FileError(`${name} was truncated while it was being read.`)
  }
}

/** Reads bytes of a file at an offset; fewer if the file ends before. */
export function readBytesAt(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset))
  } finally {
    closeSync(file)
  }
}

/** The encoding of a text file: UTF-8 if the whole file is, UTF-16 by its beginning, otherwise Windows-1252. */
export async function encodingOfFile(path: string): Promise<string> {
  const utf16 = utf16EncodingOf(readBytesAt(path, 0, 4))
  if (utf16) return utf16
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunk_bytes }))
      decoder.decode(chunk as Buffer, { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  }
}

/** The SHA-256 checksum of a file as hexadecimal text. Reads the file in chunks. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hasher.update(chunk as Buffer)
  return hasher.digest('hex')
}

/** The file with the same stem and this extension, in lower or upper case; null if there is none. */
export function findSidecar(stem: string, extension: string): string | null {
  return [`${stem}.${extension}`, `${stem}.${extension.toUpperCase()}`].find((path) => existsSync(path)) ?? null
}
