import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { statusError } from '../net/upstream-errors.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'
import type { RangeReader } from '../raster/raster.ts'
import { joinedReads } from './joined-reads.ts'

/** A file of another server. `held_bytes`: what of it is kept in memory. */
export type HttpReader = RangeReader & { held_bytes: number }

/** A server that knows no ranges answers with the whole file: it is taken up to this size. */
const wholeMax_bytes = 64 * 1_048_576
const first_bytes = 32_768
const beyondTheEnd = 416

/**
 * Opens a file by its first bytes. Null when it is not there and may be missing. It is known by its address and its mark of version;
 * when that is another one later, `onChange` is called and the read fails, since pieces of two editions make no raster.
 */
export async function openHttpReader(net: HttpClient, url: string, { mayMiss, onChange }: { mayMiss: boolean; onChange: () => void }, budget: Budget): Promise<HttpReader | null> {
  const { host } = new URL(url)
  const asked = async (offset: number, length: number, budget: Budget) => {
    const headers = { range: `bytes=${offset}-${offset + length - 1}` }
    const reply = await net.send({ url, headers, cap_bytes: wholeMax_bytes, acceptedStatuses: [beyondTheEnd, ...(mayMiss ? [403, 404] : [])] }, budget)
    if (reply.status === beyondTheEnd) throw new UpstreamError('bad_response', `${host} has no byte ${offset} of the raster: the file is shorter than it says.`)
    if (reply.status === 403 && !isMissing(reply)) throw statusError(403, host)
    return reply
  }

  const first = await asked(0, first_bytes, budget)
  if (isMissing(first)) return null
  const version = versionOf(first)
  const head = first.status === 206 ? pieceOf(first, 0, first_bytes, host) : first.bytes
  let whole = first.status === 206 ? null : first.bytes
  const read = joinedReads(async (offset, length, budget) => {
    const reply = await asked(offset, length, budget)
    if (isMissing(reply) || versionOf(reply) !== version) {
      onChange()
      throw new UpstreamError('bad_response', `${host} has changed the raster while it was being read.`)
    }
    if (reply.status === 206) return pieceOf(reply, offset, length, host)
    whole = reply.bytes
    reader.held_bytes = whole.length
    return whole.subarray(offset, offset + length)
  })
  const reader: HttpReader = {
    id: `${url} ${version}`,
    held_bytes: head.length,
    async read(offset, length, budget) {
      const held = whole ?? (offset + length <= head.length ? head : null)
      return held ? held.subarray(offset, offset + length) : read(offset, length, budget)
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
function pieceOf({ headers, bytes }: Reply, offset: number, length: number, host: string): Uint8Array {
  const text = headers.get('content-range') ?? ''
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(text) ?? []
  const isWhole = Number(from) === offset && bytes.length === Number(to) - offset + 1
  const isEnough = bytes.length === length || (bytes.length < length && Number(total) === Number(to) + 1)
  if (isWhole && isEnough) return bytes
  throw new UpstreamError('bad_response', `${host} was asked for ${length} bytes from ${offset} on, and gave ${bytes.length} as ${JSON.stringify(text.slice(0, 100))}.`)
}
