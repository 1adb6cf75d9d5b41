import { inflateRawSync } from 'node:zlib'

/**
 * Extracts the named files of a ZIP archive in memory. Throws a plain Error if the archive is invalid or a file exceeds
 * `max_bytes`.
 */
export function unzipFiles(archive: Uint8Array, names: readonly string[], max_bytes: number): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  const files = new Map<string, Uint8Array>()
  let cursor = findDirectory(bytes)
  for (let remaining = bytes.readUInt16LE(cursor.end + 10); remaining > 0; remaining--) {
    if (bytes.readUInt32LE(cursor.next) !== entrySignature)
      throw new Error('The directory of the ZIP archive is corrupt.')
    const [nameLength, extraLength, commentLength] = [
      bytes.readUInt16LE(cursor.next + 28),
      bytes.readUInt16LE(cursor.next + 30),
      bytes.readUInt16LE(cursor.next + 32),
    ]
    const name = bytes.toString('utf8', cursor.next + 46, cursor.next + 46 + nameLength)
    if (names.includes(name)) files.set(name, readEntry(bytes, cursor.next, max_bytes))
    cursor = { ...cursor, next: cursor.next + 46 + nameLength + extraLength + commentLength }
  }
  return files
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const fileSignature = 0x04034b50
const end_bytes = 22
const commentMax_bytes = 65_535

/** The offsets of the directory and of the end record, which precedes the archive comment. */
function findDirectory(bytes: Buffer): { next: number; end: number } {
  for (let end = bytes.length - end_bytes; end >= Math.max(0, bytes.length - end_bytes - commentMax_bytes); end--) {
    if (bytes.readUInt32LE(end) === endSignature) return { next: bytes.readUInt32LE(end + 16), end }
  }
  throw new Error('The ZIP archive has no directory.')
}

/** Extracts an entry. Lengths come from the directory, because the file's own header may lack them. */
function readEntry(bytes: Buffer, entry: number, max_bytes: number): Uint8Array {
  const [method, compressedSize, size, offset] = [
    bytes.readUInt16LE(entry + 10),
    bytes.readUInt32LE(entry + 20),
    bytes.readUInt32LE(entry + 24),
    bytes.readUInt32LE(entry + 42),
  ]
  if (bytes.readUInt32LE(offset) !== fileSignature)
    throw new Error('A file of the ZIP archive is not at the offset in the directory.')
  if (size > max_bytes) throw new Error(`A file of the ZIP archive has ${size} bytes; the limit is ${max_bytes}.`)
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const content = bytes.subarray(start, start + compressedSize)
  const file = method === 8 ? inflateRawSync(content, { maxOutputLength: Math.max(1, size) }) : content
  if (content.length !== compressedSize || file.length !== size || (method !== 0 && method !== 8))
    throw new Error('A file of the ZIP archive does not match the directory.')
  return file
}
