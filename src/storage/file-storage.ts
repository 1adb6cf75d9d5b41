import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'
import type { StorageFile } from '../packs/layer/raster-pointer.ts'
import { statusError } from '../net/upstream-errors.ts'

/** Files that are read over HTTP: a prefix of an S3 bucket, or a folder of a web server. */
export type FileStorage = {
  /** The location as it was configured. It has no secrets. */
  location: string
  /** Lists all files by their path. @throws {UpstreamError} if the list is not complete. */
  list(budget: Budget): Promise<StorageFile[]>
  /** The URL to read a file with in the next minutes. It may contain a signature, so it is never shown. */
  urlOf(name: string): string
}

/** The file changed or is gone since it was listed. */
export class FileChangedError extends UpstreamError {}

/** A range that was returned although it was not requested is accepted up to this size. */
const fileMax_bytes = 64 * 1_048_576

/**
 * Reads a range of exactly the listed version of a file.
 * @throws {FileChangedError} if the storage has another version now.
 * @throws {UpstreamError} if the storage does not answer, or with other bytes.
 */
export async function readStorageRange(
  { net, storage }: { net: HttpClient; storage: Pick<FileStorage, 'location' | 'urlOf'> },
  file: StorageFile,
  { offset, length }: { offset: number; length: number },
  budget: Budget,
): Promise<Uint8Array> {
  const url = storage.urlOf(file.name)
  const { host } = new URL(url)
  const headers = {
    range: `bytes=${offset}-${offset + length - 1}`,
    // A weak ETag or a time never matches.
    ...(file.version.startsWith('"') && { 'if-match': file.version }),
  }
  const cap_bytes = Math.max(length, Math.min(file.size_bytes, fileMax_bytes))
  const reply = await net.send({ url, headers, cap_bytes, acceptedStatuses: [404, 412, 416] }, budget)
  if ([404, 412, 416].includes(reply.status) || versionOf(reply) !== file.version) throw changedError(file, storage)
  if (reply.status === 206) return requestedBytesOf(reply, { offset, length, size_bytes: file.size_bytes }, host)
  if (reply.status !== 200) throw statusError(reply.status, host)
  // The server ignores ranges.
  if (reply.bytes.length === file.size_bytes) return reply.bytes.subarray(offset, offset + length)
  throw new UpstreamError(
    'bad_response',
    `${host} returned ${reply.bytes.length} bytes of ${file.name}, which has ${file.size_bytes} bytes. Try again later.`,
  )
}

function changedError(file: StorageFile, { location }: Pick<FileStorage, 'location'>): FileChangedError {
  return new FileChangedError('bad_response', `${file.name} in ${location} changed while it was being read. Try again.`)
}

/** The version that a response states; empty if it states none. */
export function versionOf({ headers }: Pick<Reply, 'headers'>): string {
  const eTag = headers.get('etag')
  return eTag === null ? (headers.get('last-modified') ?? '') : withQuotes(eTag)
}

/** An ETag with its quotation marks, which some servers leave out. */
export function withQuotes(eTag: string): string {
  return eTag.startsWith('"') || eTag.startsWith('W/') ? eTag : `"${eTag}"`
}

function requestedBytesOf(
  { headers, bytes }: Reply,
  { offset, length, size_bytes }: { offset: number; length: number; size_bytes: number },
  host: string,
): Uint8Array {
  const found = headers.get('content-range') ?? ''
  const expected = `bytes ${offset}-${offset + length - 1}/${size_bytes}`
  if (found === expected && bytes.length === length) return bytes
  throw new UpstreamError(
    'bad_response',
    `${host} returned ${bytes.length} bytes with Content-Range ${JSON.stringify(found.slice(0, 100))} instead of ${expected}. Try again later.`,
  )
}
