import { FileError } from '../file-error.ts'

/** The bounds of every ZIP archive that is read, because an archive can declare and inflate to any size. */
export const zipLimits = {
  /** One member, inflated. The text of the National Address Database has about 40 GB. */
  member_bytes: 64 * 1024 ** 3,
  /** All members extracted from one archive, inflated. */
  archive_bytes: 128 * 1024 ** 3,
  /** Up to this inflated size, the compression ratio is not checked. */
  anyRatio_bytes: 256 * 1024 ** 2,
  /**
   * Beyond that size, the ratio of inflated to compressed size. Deflate reaches 1,032; publishers' files stay below
   * 100.
   */
  ratio: 200,
  members: 50_000,
  directory_bytes: 32 * 1024 ** 2,
  name_bytes: 1024,
  /** Archives inside each other, counting the outermost. */
  depth: 3,
} as const

/** A file in a ZIP archive. `path` is its name in the archive; `name` is its base name without extension. */
export type ZipEntry = {
  path: string
  name: string
  method: number
  compressedSize: number
  /** The inflated size that the directory declares. */
  size: number
  /** The CRC-32 of the inflated bytes. */
  crc: number
  offset: number
}

/** The bytes of an archive, on disk or in memory. `read` returns fewer bytes at the end. */
export type ZipSource = { name: string; size: number; read(offset: number, length: number): Uint8Array }

/**
 * Lists the files of an archive from its directory, without folders. Reads ZIP64.
 * @throws FileError if the directory is corrupt, encrypted or exceeds `zipLimits`.
 */
export function listZipEntries(source: ZipSource): ZipEntry[] {
  const { name, size } = source
  try {
    const { offset, length, count } = locateDirectory(source)
    if (count > zipLimits.members) throw memberCountError(name)
    if (length > zipLimits.directory_bytes || offset + length > size)
      throw new FileError(`${name} is a corrupt ZIP archive: it declares a directory of ${length} bytes.`)
    return parseEntries(source.read(offset, length), count, name)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new FileError(`${name} is a corrupt ZIP archive: its directory cannot be read.`, { cause })
  }
}

/**
 * Returns the offset of an entry's content.
 * @throws FileError if the archive is corrupt.
 */
export function findZipContent({ name, size, read }: ZipSource, { path, compressedSize, offset }: ZipEntry): number {
  const head = viewOf(read(offset, head_bytes))
  const start =
    head.byteLength < head_bytes ? size : offset + head_bytes + head.getUint16(26, true) + head.getUint16(28, true)
  if (head.byteLength < head_bytes || head.getUint32(0, true) !== fileSignature || start + compressedSize > size)
    throw new FileError(`${name} is a corrupt ZIP archive: ${path} is not where its directory says.`)
  return start
}

/** Compression methods. */
export const zipMethods = { stored: 0, deflated: 8 }

/** @throws FileError if an entry of the archive `name` is compressed by a method that cannot be read. */
export function requireKnownMethod(name: string, { path, method }: ZipEntry): void {
  if (method !== zipMethods.stored && method !== zipMethods.deflated)
    throw new FileError(
      `${path} in ${name} uses compression method ${method}. Expected deflated or stored. Extract it and pass the files.`,
    )
}

/** @throws FileError if an entry of the archive `name` has not the size that the directory declares. */
export function requireDeclaredSize(name: string, { path, size }: ZipEntry, found: number): void {
  if (found !== size)
    throw new FileError(
      `${path} in ${name} inflates to ${found > size ? 'more than' : `${found} bytes, not`} the declared ${size} bytes.`,
    )
}

/** @throws FileError if the bytes of an entry have another sum than the directory declares. */
export function requireDeclaredSum(name: string, { path, crc }: ZipEntry, found: number): void {
  if (found !== crc) throw new FileError(`${path} in ${name} is damaged: its bytes have another sum (CRC-32).`)
}

const fileSignature = 0x04034b50
const head_bytes = 30
const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const locatorSignature = 0x07064b50
const entrySignature = 0x02014b50
const end_bytes = 22
const maxComment_bytes = 65_535
const max16 = 0xffff
const max32 = 0xffffffff
const encryptedFlag = 1

function locateDirectory({ name, size, read }: ZipSource): { offset: number; length: number; count: number } {
  const from = Math.max(0, size - end_bytes - maxComment_bytes)
  const tail = viewOf(read(from, size - from))
  let end = tail.byteLength - end_bytes
  while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--
  if (end < 0) throw new FileError(`${name} is truncated or not a ZIP archive: its directory is missing.`)
  const [count, length, offset] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ]
  if (offset !== max32 && length !== max32 && count !== max16) return { offset, length, count }
  const locator = viewOf(read(Math.max(0, from + end - 20), 20))
  if (locator.getUint32(0, true) !== locatorSignature) {
    if (offset !== max32 && length !== max32) return { offset, length, count }
    throw new FileError(`${name} is a corrupt ZIP archive: the locator of its directory is missing.`)
  }
  const end64 = viewOf(read(Number(locator.getBigUint64(8, true)), 56))
  if (end64.getUint32(0, true) !== end64Signature)
    throw new FileError(`${name} is a corrupt ZIP archive: the end of its directory is missing.`)
  const [count64, length64, offset64] = [32, 40, 48].map((at) => Number(end64.getBigUint64(at, true)))
  return { offset: offset64!, length: length64!, count: count64! }
}

function parseEntries(bytes: Uint8Array, declaredCount: number, name: string): ZipEntry[] {
  const view = viewOf(bytes)
  const entries: ZipEntry[] = []
  let count = 0
  for (let at = 0; at + 46 <= bytes.length && view.getUint32(at, true) === entrySignature; count++) {
    const [nameLength, extraLength, commentLength] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ]
    if (count >= zipLimits.members) throw memberCountError(name)
    if (nameLength > zipLimits.name_bytes)
      throw new FileError(
        `${name} has a member with a name of ${nameLength} bytes. The maximum is ${zipLimits.name_bytes}.`,
      )
    if (view.getUint16(at + 8, true) & encryptedFlag)
      throw new FileError(`${name} is encrypted. Expected a ZIP archive without a password.`)
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const entry = {
      path,
      name: path.replace(/^.*\//, '').replace(/(?<=.)\.[^.]*$/, ''),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    }
    applyZip64(entry, bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
    if (!path.endsWith('/') && !/(^|\/)(__MACOSX\/|\._)/.test(path)) entries.push(entry)
    at += 46 + nameLength + extraLength + commentLength
  }
  if (count !== declaredCount)
    throw new FileError(
      `${name} is a corrupt ZIP archive: its directory has ${count} members, but it declares ${declaredCount}.`,
    )
  return entries
}

/** Applies the ZIP64 extra field, which holds the numbers that do not fit in 32 bits, in this order. */
function applyZip64(entry: ZipEntry, extra: Uint8Array): void {
  const view = viewOf(extra)
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue
    let next = at + 4
    for (const member of ['size', 'compressedSize', 'offset'] as const) {
      if (entry[member] !== max32) continue
      entry[member] = Number(view.getBigUint64(next, true))
      next += 8
    }
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function memberCountError(name: string): FileError {
  return new FileError(`${name} has more than ${zipLimits.members} members. Extract it and pass the files.`)
}
