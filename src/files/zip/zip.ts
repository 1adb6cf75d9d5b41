import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { readBytesAt } from '../byte-reader.ts'
import { isDiskFullError, FileError } from '../file-error.ts'
import {
  findZipContent,
  listZipEntries,
  requireDeclaredSize,
  requireDeclaredSum,
  requireKnownMethod,
  zipLimits,
  zipMethods,
  type ZipEntry,
  type ZipSource,
} from './zip-directory.ts'

/**
 * Lists the files of an archive on disk, without folders.
 * @throws FileError if its directory is corrupt, encrypted or exceeds `zipLimits`.
 */
export function readZipEntries(path: string, name: string): ZipEntry[] {
  return listZipEntries(fileSource(path, name))
}

/**
 * Extracts entries into a folder under their base names and returns the paths. No name in an archive can lead out of
 * the folder. A member that is rejected leaves no file behind.
 * @throws FileError if an entry is corrupt or exceeds `zipLimits` or its declared size.
 */
export async function extractZipEntries(
  archive: string,
  entries: readonly ZipEntry[],
  folder: string,
  name: string,
): Promise<string[]> {
  const source = fileSource(archive, name)
  requireWithinLimits(source, entries, zipLimits.member_bytes)
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(folder, basename(entry.path).replace(/^\.+/, '_'))
    try {
      await extractEntry(source, entry, path)
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
    paths.push(path)
  }
  return paths
}

/**
 * Reads members of an archive in memory, by their names; a missing one is not in the result. Each may have at most
 * `member_bytes` inflated.
 * @throws FileError if the archive is corrupt or exceeds `zipLimits`.
 */
export function readZipMembers(
  bytes: Uint8Array,
  names: readonly string[],
  member_bytes: number,
): Map<string, Uint8Array> {
  const source = memorySource(bytes)
  const entries = listZipEntries(source).filter(({ path }) => names.includes(path))
  requireWithinLimits(source, entries, member_bytes)
  return new Map(entries.map((entry) => [entry.path, inflateEntry(source, entry)]))
}

type FileSource = ZipSource & { path: string }

const { stored, deflated } = zipMethods

function fileSource(path: string, name: string): FileSource {
  return { path, name, size: statSync(path).size, read: (offset, length) => readBytesAt(path, offset, length) }
}

function memorySource(bytes: Uint8Array): ZipSource {
  return { name: 'The archive', size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) }
}

/** Checks the declared sizes, so that nothing is inflated that will be rejected. Inflating then enforces them. */
function requireWithinLimits({ name, size }: ZipSource, entries: readonly ZipEntry[], member_bytes: number): void {
  for (const entry of entries) {
    const { path, method, compressedSize } = entry
    requireKnownMethod(name, entry)
    if (entry.size > member_bytes)
      throw new FileError(`${path} in ${name} declares ${entry.size} bytes. The maximum is ${member_bytes}.`)
    requireRatio(`${path} in ${name}`, entry.size, compressedSize)
    if (method === stored && entry.size !== compressedSize)
      throw new FileError(
        `${path} in ${name} is corrupt: it is stored without compression, but its compressed and uncompressed sizes differ.`,
      )
  }
  const total = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (total > zipLimits.archive_bytes)
    throw new FileError(`${name} declares ${total} bytes in all. The maximum is ${zipLimits.archive_bytes}.`)
  // Members can share compressed bytes, so the total is checked against the size of the archive too.
  requireRatio(name, total, size)
}

function requireRatio(what: string, size: number, compressedSize: number): void {
  if (size > Math.max(zipLimits.anyRatio_bytes, zipLimits.ratio * compressedSize))
    throw new FileError(
      `${what} declares ${size} bytes, more than ${zipLimits.ratio} times its compressed size. If you trust it, extract it and pass the files.`,
    )
}

function inflateEntry(source: ZipSource, entry: ZipEntry): Uint8Array {
  const content = source.read(findZipContent(source, entry), entry.compressedSize)
  try {
    // zlib does not accept a limit of 0.
    const maxOutputLength = Math.max(1, entry.size)
    const member = entry.method === stored ? content : inflateRawSync(content, { maxOutputLength })
    requireDeclaredSize(source.name, entry, member.length)
    requireDeclaredSum(source.name, entry, crc32(member))
    return member
  } catch (cause) {
    throw toExtractionError(cause, source, entry)
  }
}

/** Inflates an entry into a file in small chunks, and stops at the first byte beyond the declared size. */
async function extractEntry(source: FileSource, entry: ZipEntry, to: string): Promise<void> {
  const start = findZipContent(source, entry)
  const file = await open(to, 'w').catch((cause: unknown) => {
    throw toExtractionError(cause, source, entry)
  })
  let [written, sum] = [0, 0]
  const writeChunks = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      written += chunk.length
      sum = crc32(chunk, sum)
      if (written > entry.size) requireDeclaredSize(source.name, entry, written)
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
    }
  }
  try {
    if (entry.compressedSize > 0) {
      const content = createReadStream(source.path, { start, end: start + entry.compressedSize - 1 })
      await (entry.method === deflated
        ? pipeline(content, createInflateRaw(), writeChunks)
        : pipeline(content, writeChunks))
    }
    requireDeclaredSize(source.name, entry, written)
    requireDeclaredSum(source.name, entry, sum)
  } catch (cause) {
    throw toExtractionError(cause, source, entry)
  } finally {
    await file.close()
  }
}

/** A full disk is not an error of the archive, so its error is not changed. */
function toExtractionError(cause: unknown, { name }: ZipSource, { path }: ZipEntry): unknown {
  if (cause instanceof FileError || isDiskFullError(cause)) return cause
  return new FileError(`${path} in ${name} cannot be extracted: ${(cause as Error).message}.`, { cause })
}
