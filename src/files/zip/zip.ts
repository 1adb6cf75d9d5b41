import type { FileEntry, Reader } from '@zip.js/zip.js/lib/zip-core-reader.js'
import { streamBytes } from '../../async/stream-bytes.ts'
import { FileError, isDiskFullError } from '../file-error.ts'

/** The bounds of every ZIP archive that is read, because an archive can declare and inflate to any size. */
export const zipLimits = {
  /** One member, inflated. The text of the National Address Database has about 40 GB. */
  member_bytes: 64 * 1024 ** 3,
  /** All members extracted from one archive, inflated. */
  archive_bytes: 128 * 1024 ** 3,
  /** Up to this inflated size, the compression ratio is not checked. */
  anyRatio_bytes: 256 * 1024 ** 2,
  /** Beyond it, the ratio of inflated to compressed size. Deflate reaches 1,032; publishers' files stay below 100. */
  ratio: 200,
  members: 50_000,
  directory_bytes: 32 * 1024 ** 2,
  name_bytes: 1024,
  /** Archives inside each other, counting the outermost. */
  depth: 3,
} as const

/**
 * A file in a ZIP archive. `path` is its name in the archive; `name` is its base name without extension; `size` is the
 * inflated size that the directory declares. `inflate` yields its bytes, and throws a FileError if they are damaged or
 * have another size.
 */
export type ZipEntry = {
  path: string
  name: string
  size: number
  compressedSize: number
  inflate(): AsyncGenerator<Uint8Array>
}

/**
 * Lists the files of an archive, without folders, in a browser or on a server. `name` is its name in errors.
 * @throws FileError if its directory is corrupt, encrypted or exceeds `zipLimits`.
 */
export async function listZipEntries(archive: Blob, name: string): Promise<ZipEntry[]> {
  // Loaded with the first archive: it asks the platform for its time zone, which takes 20 ms.
  const { WARNING_TRAILING_CENTRAL_DIRECTORY_DATA: moreMembers, ZipReader } =
    await import('@zip.js/zip.js/lib/zip-core-reader.js')
  const entries: ZipEntry[] = []
  const directory = new ZipReader(readerOf(archive, name), readerOptions)
  let count = 0
  try {
    for await (const entry of directory.getEntriesGenerator()) {
      if (++count > zipLimits.members)
        throw new FileError(`${name} has more than ${zipLimits.members} members. Extract it and pass the files.`)
      if (entry.rawFilename.length > zipLimits.name_bytes)
        throw new FileError(
          `${name} has a member with a name of ${entry.rawFilename.length} bytes. The maximum is ${zipLimits.name_bytes}.`,
        )
      if (entry.encrypted) throw new FileError(`${name} is encrypted. Expected a ZIP archive without a password.`)
      if (!entry.directory && !/(^|\/)(__MACOSX\/|\._)/.test(entry.filename)) entries.push(zipEntryOf(entry, name))
    }
    if (directory.warnings?.some(({ reason }) => reason === moreMembers))
      throw new FileError(
        `${name} is a corrupt ZIP archive: its directory has more than the ${count} declared members.`,
      )
  } catch (cause) {
    if (cause instanceof FileError) throw cause
    throw new FileError(`${name} is damaged or not a ZIP archive: ${adviceAfter(cause)}`, { cause })
  }
  return entries
}

/**
 * Checks the declared sizes of entries, so that nothing is inflated that will be rejected. Inflating then enforces them.
 * @throws FileError if one exceeds `member_bytes`, or all exceed `zipLimits`.
 */
export function requireWithinLimits(
  { size, name }: { size: number; name: string },
  entries: readonly ZipEntry[],
  member_bytes: number = zipLimits.member_bytes,
): void {
  for (const entry of entries) {
    const { path, compressedSize } = entry
    if (entry.size > member_bytes)
      throw new FileError(`${path} in ${name} declares ${entry.size} bytes. The maximum is ${member_bytes}.`)
    requireRatio(`${path} in ${name}`, entry.size, compressedSize)
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

/** The directory is believed where headers of members differ from it. Each member must have its size and sum. */
const readerOptions = { strictness: 'tolerant', useWebWorkers: false, checkSignature: true } as const

/** The bytes of an archive. Only its directory is read as a whole. */
function readerOf(archive: Blob, name: string) {
  return {
    size: archive.size,
    async readUint8Array(offset: number, length: number) {
      if (length > zipLimits.directory_bytes)
        throw new FileError(`${name} is a corrupt ZIP archive: it declares a directory of ${length} bytes.`)
      return new Uint8Array(await archive.slice(offset, offset + length).arrayBuffer())
    },
    createReadable: ({ offset, size }: { offset: number; size: number }) =>
      archive.slice(offset, offset + size).stream(),
  } as unknown as Reader<Blob>
}

function zipEntryOf(entry: FileEntry, archive: string): ZipEntry {
  const { filename: path, uncompressedSize: size, compressedSize } = entry
  const name = path.replace(/^.*\//, '').replace(/(?<=.)\.[^.]*$/, '')
  return { path, name, size, compressedSize, inflate: () => inflate(entry, archive) }
}

const knownMethods = { stored: 0, deflated: 8 }

/** The library stops at the first byte beyond the declared size, and compares the sum (CRC-32) at the end. */
async function* inflate(entry: FileEntry, name: string): AsyncGenerator<Uint8Array> {
  const { filename: path, compressionMethod: method } = entry
  if (!Object.values(knownMethods).includes(method))
    throw new FileError(
      `${path} in ${name} uses compression method ${method}. Expected deflated or stored. Extract it and pass the files.`,
    )
  let fail = (_cause: unknown) => {}
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => void (fail = (cause) => controller.error(cause)),
  })
  const inflated = entry.getData(writable)
  // An error before the first byte does not reach the stream otherwise.
  inflated.catch(fail)
  try {
    yield* streamBytes(readable)
    await inflated
  } catch (cause) {
    // A full disk is not an error of the archive.
    if (cause instanceof FileError || isDiskFullError(cause)) throw cause
    throw new FileError(`${path} in ${name} cannot be extracted: ${adviceAfter(cause)}`, { cause })
  }
}

function adviceAfter(cause: unknown): string {
  return `${(cause as Error).message.replace(/\.$/, '')}. Copy or download the archive again.`
}
