import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'
import { PackError } from '../pack-error.ts'
import { readBytesAt } from './byte-reader.ts'

/** A file in a ZIP archive. `method`: 0 stored, 8 deflated. */
export type ZipEntry = {
  path: string
  name: string
  method: number
  compressedSize: number
  size: number
  offset: number
}

const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const locatorSignature = 0x07064b50
const entrySignature = 0x02014b50
const end_bytes = 22
const maxComment_bytes = 65_535
const maxDirectory_bytes = 256 * 1024 * 1024
const max32 = 0xffffffff

/** The files in an archive by its directory, folders left out. Archives beyond 4 GB too. */
export function readZipEntries(path: string, name: string): ZipEntry[] {
  try {
    const { offset, length } = locateDirectory(path, name)
    if (length > maxDirectory_bytes)
      throw new PackError(`${name} says that its directory has ${length} bytes: it is damaged.`)
    return parseEntries(readBytesAt(path, offset, length), name)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new PackError(`${name} is a damaged ZIP archive: its directory cannot be read.`, { cause })
  }
}

/** Unpacks files into a folder, by their bare names, and gives their paths. Whatever the archive calls them, they stay in the folder. */
export async function extractZipEntries(
  archive: string,
  entries: readonly ZipEntry[],
  folder: string,
  name: string,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(folder, basename(entry.path).replace(/^\.+/, '_'))
    await extractEntry(archive, entry, path, name)
    paths.push(path)
  }
  return paths
}

function locateDirectory(path: string, name: string): { offset: number; length: number } {
  const { size } = statSync(path)
  const from = Math.max(0, size - end_bytes - maxComment_bytes)
  const tail = readBytesAt(path, from, size - from)
  let end = tail.length - end_bytes
  while (end >= 0 && tail.readUInt32LE(end) !== endSignature) end--
  if (end < 0) throw new PackError(`${name} is cut off, or no whole ZIP archive: its directory is missing.`)
  const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (offset !== max32 && length !== max32) return { offset, length }
  const locator = readBytesAt(path, from + end - 20, 20)
  if (locator.readUInt32LE(0) !== locatorSignature)
    throw new PackError(`${name} is a damaged ZIP archive: the place of its directory is missing.`)
  const end64 = readBytesAt(path, Number(locator.readBigUInt64LE(8)), 56)
  if (end64.readUInt32LE(0) !== end64Signature)
    throw new PackError(`${name} is a damaged ZIP archive: the end of its directory is missing.`)
  return { length: Number(end64.readBigUInt64LE(40)), offset: Number(end64.readBigUInt64LE(48)) }
}

function parseEntries(bytes: Buffer, name: string): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= bytes.length && bytes.readUInt32LE(at) === entrySignature;) {
    const [nameLength, extraLength, commentLength] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ]
    if (bytes.readUInt16LE(at + 8) & 1)
      throw new PackError(`${name} is encrypted; a ZIP archive without a password was expected.`)
    const path = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const entry = {
      path,
      name: basename(path, extname(path)),
      method: bytes.readUInt16LE(at + 10),
      compressedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    }
    applyZip64(entry, bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
    if (!path.endsWith('/') && !/(^|\/)(__MACOSX\/|\._)/.test(path)) entries.push(entry)
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

/** Numbers beyond 32 bits stand in a field of their own, in this order, those that are needed. */
function applyZip64(entry: ZipEntry, extra: Buffer): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    for (const member of ['size', 'compressedSize', 'offset'] as const) {
      if (entry[member] !== max32) continue
      entry[member] = Number(extra.readBigUInt64LE(next))
      next += 8
    }
  }
}

async function extractEntry(
  archive: string,
  { path, method, compressedSize, size, offset }: ZipEntry,
  to: string,
  name: string,
): Promise<void> {
  if (method !== 0 && method !== 8)
    throw new PackError(
      `${path} in ${name} is packed by the method ${method}; deflated or stored was expected: unpack it and give the files.`,
    )
  const head = readBytesAt(archive, offset, 30)
  if (head.length < 30 || head.readUInt32LE(0) !== 0x04034b50)
    throw new PackError(`${name} is a damaged ZIP archive: ${path} is not where its directory says.`)
  const start = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const source = compressedSize === 0 ? [] : [createReadStream(archive, { start, end: start + compressedSize - 1 })]
  const target = createWriteStream(to)
  try {
    await pipeline(source[0] ?? [], ...(method === 8 && compressedSize > 0 ? [createInflateRaw()] : []), target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') throw cause
    throw new PackError(`${path} in ${name} cannot be unpacked: ${(cause as Error).message}.`, { cause })
  }
  if (statSync(to).size !== size)
    throw new PackError(`${path} in ${name} has ${statSync(to).size} bytes unpacked; ${size} were expected.`)
}
