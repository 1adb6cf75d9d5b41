import { unexpectedResponse } from '../driver-errors.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget } from '../../model/source.ts'
import type { Call, HttpClient } from '../../net/http-client.ts'
import { parseArcgisPoint } from './imageserver-geometry.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

const replyMax_bytes = 4 * 1024 * 1024

/** Sends a request to an image service and returns its JSON. Throws errors that ArcGIS returns with status 200. */
export async function requestImageServer(
  net: HttpClient,
  call: Call,
  budget: Budget,
): Promise<Record<string, unknown>> {
  const response = await net.fetchJson({ ...call, cap_bytes: replyMax_bytes }, budget)
  const { host } = new URL(call.url)
  throwStructuredError(response, host)
  if (isRecord(response)) return response
  throw unexpectedResponse(host, 'a JSON object', response)
}

/** Throws if a response is for another place. Otherwise a request in wrong units would look like "no data". */
export function checkLocation(location: unknown, at: Point): void {
  const answeredPoint = isRecord(location) ? parseArcgisPoint(location) : null
  if (!answeredPoint) return
  const [north, east] = [
    Math.abs(answeredPoint.lat - at.lat),
    Math.abs(((answeredPoint.lng - at.lng + 540) % 360) - 180),
  ]
  if (north <= tolerance_degrees && east <= tolerance_degrees) return
  throw new UpstreamError(
    'bad_value',
    `The service returned a value at ${answeredPoint.lat}, ${answeredPoint.lng} instead of ${at.lat}, ${at.lng}. Report this to the publisher.`,
  )
}

const tolerance_degrees = 0.01
