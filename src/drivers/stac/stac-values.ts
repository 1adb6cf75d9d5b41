import { createAbsentMatcher, type AbsentReply } from '../rest/absent-reply.ts'
import { unexpectedResponse, unexpectedValue } from '../driver-errors.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import { parseJsonBody, decodeTextBody, smallJsonMax_bytes } from '../../net/content.ts'
import type { HttpClient, Reply } from '../../net/http-client.ts'
import { statusError } from '../../net/upstream-errors.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/** Reads the values of a point, in the order in which the URL names the assets; null if the item does not cover it. */
export type ReadPoint = (url: string, budget: Budget) => Promise<(number | null)[] | null>

/** Creates the reader of the point endpoint of STAC items. */
export function createPointReader(net: HttpClient, absent: AbsentReply | undefined): ReadPoint {
  const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
  return async (url, budget) => {
    const reply = await net.send(
      { url, acceptedStatuses, hedge: true, deduplicate: true, cap_bytes: smallJsonMax_bytes },
      budget,
    )
    const { host } = new URL(url)
    if (isAbsent(reply)) return null
    if (reply.status < 200 || reply.status > 299) throw statusError(reply.status, host)
    return parseValues(parseJsonBody({ ...reply, bytes: replaceNaN(reply) }, host), host)
  }
}

function parseValues(response: unknown, host: string): (number | null)[] {
  throwStructuredError(response, host)
  const values = isRecord(response) ? response.values : undefined
  if (!Array.isArray(values) || values.length === 0) throw unexpectedResponse(host, 'a list of values', response)
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
