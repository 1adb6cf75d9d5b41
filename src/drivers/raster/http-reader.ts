import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import { statusError } from '../../net/upstream-errors.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import type { RangeReader } from '../../raster/raster.ts'
import { createAbsentMatcher, type AbsentReply } from '../rest/absent-reply.ts'
import { coalesceReads } from '../coalesce-reads.ts'

/**
 * A remote file. `cached_bytes`: how much of it is in memory. `modified`: the day on which it last changed, null if the
 * host does not state it.
 */
export type HttpReader = RangeReader & { cached_bytes: number; modified: string | null }

/** A server without range support returns the whole file, which is accepted up to this size. */
const fileMax_bytes = 64 * 1_048_576
const head_bytes = 32_768
const rangeNotSatisfiable = 416

/**
 * Opens a file by reading its first bytes. Returns null if the host says, as `absent` declares, that there is no such
 * file. The ETag or Last-Modified
 * of the first response identifies its version. If it changes later, `onChange` is called and the read fails, because
 * parts of two versions make no valid raster.
 */
export async function createHttpReader(
  net: HttpClient,
  url: string,
  { absent, onChange }: { absent: AbsentReply | undefined; onChange: () => void },
  budget: Budget,
): Promise<HttpReader | null> {
  const { host } = new URL(url)
  const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
  const requestRange = async (offset: number, length: number, budget: Budget) => {
    const headers = { range: `bytes=${offset}-${offset + length - 1}` }
    const reply = await net.send(
      {
        url,
        headers,
        cap_bytes: fileMax_bytes,
        acceptedStatuses: [rangeNotSatisfiable, ...acceptedStatuses],
      },
      budget,
    )
    if (reply.status === rangeNotSatisfiable)
      throw new UpstreamError(
        'bad_response',
        `The raster on ${host} ends before byte ${offset}, although it declares more. Try again later.`,
      )
    if (!isFile(reply) && !isAbsent(reply)) throw statusError(reply.status, host)
    return reply
  }

  const firstReply = await requestRange(0, head_bytes, budget)
  if (!isFile(firstReply)) return null
  const version = versionOf(firstReply)
  const head = firstReply.status === 206 ? rangeBytesOf(firstReply, 0, head_bytes, host) : firstReply.bytes
  let wholeFile = firstReply.status === 206 ? null : firstReply.bytes
  const read = coalesceReads(async (offset, length, budget) => {
    const reply = await requestRange(offset, length, budget)
    if (!isFile(reply) || versionOf(reply) !== version) {
      onChange()
      throw new UpstreamError('bad_response', `The raster on ${host} changed while it was being read. Try again.`)
    }
    if (reply.status === 206) return rangeBytesOf(reply, offset, length, host)
    wholeFile = reply.bytes
    reader.cached_bytes = wholeFile.length
    return wholeFile.subarray(offset, offset + length)
  })
  const reader: HttpReader = {
    id: `${url} ${version}`,
    cached_bytes: head.length,
    modified: modifiedDayOf(firstReply),
    async read(offset, length, budget) {
      const buffered = wholeFile ?? (offset + length <= head.length ? head : null)
      return buffered ? buffered.subarray(offset, offset + length) : read(offset, length, budget)
    },
  }
  return reader
}

function isFile({ status }: Reply): boolean {
  return status >= 200 && status <= 299
}

function versionOf({ headers }: Reply): string {
  return headers.get('etag') ?? headers.get('last-modified') ?? ''
}

function modifiedDayOf({ headers }: Reply): string | null {
  const modified_ms = Date.parse(headers.get('last-modified') ?? '')
  return Number.isNaN(modified_ms) ? null : new Date(modified_ms).toISOString().slice(0, 10)
}

/**
 * The bytes of a partial response. They must be the requested range; only at the end of the file may there be fewer.
 */
function rangeBytesOf({ headers, bytes }: Reply, offset: number, length: number, host: string): Uint8Array {
  const text = headers.get('content-range') ?? ''
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(text) ?? []
  const isRequestedRange = Number(from) === offset && bytes.length === Number(to) - offset + 1
  const isComplete = bytes.length === length || (bytes.length < length && Number(total) === Number(to) + 1)
  if (isRequestedRange && isComplete) return bytes
  throw new UpstreamError(
    'bad_response',
    `${host} returned ${bytes.length} bytes with Content-Range ${JSON.stringify(text.slice(0, 100))} instead of ${length} bytes from ${offset}. Try again later.`,
  )
}
