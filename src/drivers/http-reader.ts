import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { statusError } from '../net/upstream-errors.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'
import type { RangeReader } from '../raster/raster.ts'
import { coalesceReads } from './coalesce-reads.ts'

/** A file of another server. `held_bytes`: what of it is kept in memory. */
export type HttpReader = RangeReader & { cached_bytes: number }

/** A server that knows no ranges answers with the whole file: it is taken up to this size. */
const fileMax_bytes = 64 * 1_048_576
const head_bytes = 32_768
const rangeNotSatisfiable = 416

/**
 * Opens a file by its first bytes. Null when it is not there and may be missing. It is known by its address and its mark of version;
 * when that is another one later, `onChange` is called and the read fails, since pieces of two editions make no raster.
 */
export async function createHttpReader(
  net: HttpClient,
  url: string,
  { allowMissing, onChange }: { allowMissing: boolean; onChange: () => void },
  budget: Budget,
): Promise<HttpReader | null> {
  const { host } = new URL(url)
  const requestRange = async (offset: number, length: number, budget: Budget) => {
    const headers = { range: `bytes=${offset}-${offset + length - 1}` }
    const reply = await net.send(
      {
        url,
        headers,
        cap_bytes: fileMax_bytes,
        acceptedStatuses: [rangeNotSatisfiable, ...(allowMissing ? [403, 404] : [])],
      },
      budget,
    )
    if (reply.status === rangeNotSatisfiable)
      throw new UpstreamError(
        'bad_response',
        `${host} has no byte ${offset} of the raster: the file is shorter than it says.`,
      )
    if (reply.status === 403 && !isMissing(reply)) throw statusError(403, host)
    return reply
  }

  const firstReply = await requestRange(0, head_bytes, budget)
  if (isMissing(firstReply)) return null
  const version = versionOf(firstReply)
  const head = firstReply.status === 206 ? rangeBytesOf(firstReply, 0, head_bytes, host) : firstReply.bytes
  let wholeFile = firstReply.status === 206 ? null : firstReply.bytes
  const read = coalesceReads(async (offset, length, budget) => {
    const reply = await requestRange(offset, length, budget)
    if (isMissing(reply) || versionOf(reply) !== version) {
      onChange()
      throw new UpstreamError('bad_response', `${host} has changed the raster while it was being read.`)
    }
    if (reply.status === 206) return rangeBytesOf(reply, offset, length, host)
    wholeFile = reply.bytes
    reader.cached_bytes = wholeFile.length
    return wholeFile.subarray(offset, offset + length)
  })
  const reader: HttpReader = {
    id: `${url} ${version}`,
    cached_bytes: head.length,
    async read(offset, length, budget) {
      const buffered = wholeFile ?? (offset + length <= head.length ? head : null)
      return buffered ? buffered.subarray(offset, offset + length) : read(offset, length, budget)
    },
  }
  return reader
}

/** S3 answers 403 for a file that is not there, where the list of its files is not public, and names the reason; any other 403 is a refusal. */
function isMissing({ status, bytes }: Reply): boolean {
  return status === 404 || (status === 403 && new TextDecoder().decode(bytes).includes('<Code>AccessDenied</Code>'))
}

function versionOf({ headers }: Reply): string {
  return headers.get('etag') ?? headers.get('last-modified') ?? ''
}

/** The bytes of a partial answer, which must be those that were asked for: fewer only at the end of the file. */
function rangeBytesOf({ headers, bytes }: Reply, offset: number, length: number, host: string): Uint8Array {
  const text = headers.get('content-range') ?? ''
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(text) ?? []
  const isRequestedRange = Number(from) === offset && bytes.length === Number(to) - offset + 1
  const isComplete = bytes.length === length || (bytes.length < length && Number(total) === Number(to) + 1)
  if (isRequestedRange && isComplete) return bytes
  throw new UpstreamError(
    'bad_response',
    `${host} was asked for ${length} bytes from ${offset} on, and gave ${bytes.length} as ${JSON.stringify(text.slice(0, 100))}.`,
  )
}
