import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'
import { PackRefused } from '../pack-refused.ts'
import { bytesAt } from './bytes.ts'

/** A file in a ZIP archive. `method`: 0 stored, 8 deflated. */
export type ZipEntry = { path: string; name: string; method: number; packed: number; size: number; offset: number }

const endMark = 0x06054b50
const end64Mark = 0x06064b50
const locatorMark = 0x07064b50
const entryMark = 0x02014b50
const end_bytes = 22
const commentMost_bytes = 65_535
const directoryMost_bytes = 256 * 1024 * 1024
const full32 = 0xffffffff

/** The files in an archive by its directory, folders left out. Archives beyond 4 GB too. */
export function zipEntries(path: string, name: string): ZipEntry[] {
  try {
    const { offset, length } = directoryOf(path, name)
    if (length > directoryMost_bytes) throw new PackRefused(`${name} says that its directory has ${length} bytes: it is damaged.`)
    return entriesOf(bytesAt(path, offset, length), name)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new PackRefused(`${name} is a damaged ZIP archive: its directory cannot be read.`, { cause })
  }
}

/** Unpacks files into a folder, by their bare names, and gives their paths. Whatever the archive calls them, they stay in the folder. */
export async function unzipped(archive: string, entries: readonly ZipEntry[], folder: string, name: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(folder, basename(entry.path).replace(/^\.+/, '_'))
    await unpack(archive, entry, path, name)
    paths.push(path)
  }
  return paths
}

function directoryOf(path: string, name: string): { offset: number; length: number } {
  const { size } = statSync(path)
  const from = Math.max(0, size - end_bytes - commentMost_bytes)
  const tail = bytesAt(path, from, size - from)
  let end = tail.length - end_bytes
  while (end >= 0 && tail.readUInt32LE(end) !== endMark) end--
  if (end < 0) throw new PackRefused(`${name} is cut off, or no whole ZIP archive: its directory is missing.`)
  const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (offset !== full32 && length !== full32) return { offset, length }
  const locator = bytesAt(path, from + end - 20, 20)
  if (locator.readUInt32LE(0) !== locatorMark) throw new PackRefused(`${name} is a damaged ZIP archive: the place of its directory is missing.`)
  const end64 = bytesAt(path, Number(locator.readBigUInt64LE(8)), 56)
  if (end64.readUInt32LE(0) !== end64Mark) throw new PackRefused(`${name} is a damaged ZIP archive: the end of its directory is missing.`)
  return { length: Number(end64.readBigUInt64LE(40)), offset: Number(end64.readBigUInt64LE(48)) }
}

function entriesOf(bytes: Buffer, name: string): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= bytes.length && bytes.readUInt32LE(at) === entryMark;) {
    const [nameLength, extraLength, commentLength] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32)]
    if (bytes.readUInt16LE(at + 8) & 1) throw new PackRefused(`${name} is encrypted; a ZIP archive without a password was expected.`)
    const path = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const entry = { path, name: basename(path, extname(path)), method: bytes.readUInt16LE(at + 10), packed: bytes.readUInt32LE(at + 20), size: bytes.readUInt32LE(at + 24), offset: bytes.readUInt32LE(at + 42) }
    enlarge(entry, bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
    if (!path.endsWith('/') && !/(^|\/)(__MACOSX\/|\._)/.test(path)) entries.push(entry)
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

/** Numbers beyond 32 bits stand in a field of their own, in this order, those that are needed. */
function enlarge(entry: ZipEntry, extra: Buffer): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    for (const member of ['size', 'packed', 'offset'] as const) {
      if (entry[member] !== full32) continue
      entry[member] = Number(extra.readBigUInt64LE(next))
      next += 8
    }
  }
}

async function unpack(archive: string, { path, method, packed, size, offset }: ZipEntry, to: string, name: string): Promise<void> {
  if (method !== 0 && method !== 8) throw new PackRefused(`${path} in ${name} is packed by the method ${method}; deflated or stored was expected: unpack it and give the files.`)
  const head = bytesAt(archive, offset, 30)
  if (head.length < 30 || head.readUInt32LE(0) !== 0x04034b50) throw new PackRefused(`${name} is a damaged ZIP archive: ${path} is not where its directory says.`)
  const start = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const source = packed === 0 ? [] : [createReadStream(archive, { start, end: start + packed - 1 })]
  const target = createWriteStream(to)
  try {
    await pipeline(source[0] ?? [], ...(method === 8 && packed > 0 ? [createInflateRaw()] : []), target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') throw cause
    throw new PackRefused(`${path} in ${name} cannot be unpacked: ${(cause as Error).message}.`, { cause })
  }
  if (statSync(to).size !== size) throw new PackRefused(`${path} in ${name} has ${statSync(to).size} bytes unpacked; ${size} were expected.`)
}
