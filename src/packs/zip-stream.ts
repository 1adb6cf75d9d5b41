import { streamBytes } from '../async/stream-bytes.ts'
import { findZipContent, zipMethods, type ZipEntry, type ZipSource } from './zip-directory.ts'

/** An archive in memory. `name` is its name in errors. */
export function zipSourceOf(bytes: Uint8Array, name: string): ZipSource {
  return { name, size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) }
}

/**
 * Inflates an entry in chunks, in a browser or on a server. The caller bounds the size.
 * @throws PackError for a corrupt archive, and TypeError for damaged bytes.
 */
export function inflateInChunks(source: ZipSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const content = source.read(findZipContent(source, entry), entry.compressedSize).slice()
  const stream = new Blob([content]).stream()
  return streamBytes(
    entry.method === zipMethods.deflated ? stream.pipeThrough(new DecompressionStream('deflate-raw')) : stream,
  )
}
