import { unexpectedResponse, unexpectedValue } from './driver-errors.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import { parseJsonBody, decodeTextBody } from '../net/content.ts'
import type { HttpClient, Reply } from '../net/http-client.ts'

/**
 * The values from the point endpoint of a STAC item, in the order in which the URL names the assets; null if the item
 * does not cover the point.
 */
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
  if (!Array.isArray(values)) throw unexpectedResponse(host, 'a list of values', response)
  return values.map((value: unknown) => {
    if (value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return value
    throw unexpectedValue(host, 'a number', value)
  })
}

/** Replaces NaN, which Python writes for cells without data and which is not valid JSON. */
function replaceNaN(reply: Reply): Uint8Array {
  return new TextEncoder().encode(decodeTextBody(reply).replace(/\bNaN\b/g, 'null'))
}
