import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import { parseJsonBody, decodeTextBody } from '../net/content.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'
import { excerptOf } from './reply.ts'

/** What the point endpoint of a STAC item gives, one value an asset in the order they are named; null when the item does not reach the point. */
export async function fetchPointValues(
  net: HttpClient,
  url: string,
  budget: Budget,
): Promise<(number | null)[] | null> {
  const reply = await net.send({ url, acceptedStatuses: [404], hedge: true, deduplicate: true }, budget)
  const { host } = new URL(url)
  const response = parseJsonBody({ ...reply, bytes: replaceNaN(reply) }, host)
  if (reply.status === 404) return null
  const values = isRecord(response) ? response.values : undefined
  if (!Array.isArray(values))
    throw new UpstreamError('bad_response', `${host} was to answer with a list of values, and there is none.`)
  return values.map((value: unknown) => {
    if (value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return value
    throw new UpstreamError('bad_value', `A number was expected, and ${host} gave ${excerptOf(value)}.`)
  })
}

/** Python writes NaN for a cell without data, which is no JSON. */
function replaceNaN(reply: Reply): Uint8Array {
  return new TextEncoder().encode(decodeTextBody(reply).replace(/\bNaN\b/g, 'null'))
}
