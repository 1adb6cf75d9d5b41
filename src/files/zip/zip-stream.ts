import { streamBytes } from '../../async/stream-bytes.ts'
import {
  findZipContent,
  requireDeclaredSize,
  requireKnownMethod,
  zipMethods,
  type ZipEntry,
  type ZipSource,
} from './zip-directory.ts'

/** An archive in memory. `name` is its name in errors. */
export function zipSourceOf(bytes: Uint8Array, name: string): ZipSource {
  return { name, size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) }
}

/**
 * Inflates an entry in chunks, in a browser or on a server. Stops at the first byte beyond the declared size, which the
 * caller bounds.
 * @throws FileError for a corrupt archive, and TypeError for damaged bytes.
 */
export async function* inflateInChunks(source: ZipSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  requireKnownMethod(source.name, entry)
  const content = source.read(findZipContent(source, entry), entry.compressedSize).slice()
  const stream = new Blob([content]).stream()
  const isDeflated = entry.method === zipMethods.deflated
  let size_bytes = 0
  for await (const chunk of streamBytes(
    isDeflated ? stream.pipeThrough(new DecompressionStream('deflate-raw')) : stream,
  )) {
    size_bytes += chunk.length
    if (size_bytes > entry.size) requireDeclaredSize(source.name, entry, size_bytes)
    yield chunk
  }
  requireDeclaredSize(source.name, entry, size_bytes)
}
