import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { Call, HttpClient } from '../net/http-client.ts'
import { parseArcgisPoint } from './imageserver-geometry.ts'
import { throwStructuredError } from './structured-error.ts'

/** The members of the answer of an image service. An error that ArcGIS answers with status 200 is thrown by its code. */
export async function requestImageServer(
  net: HttpClient,
  call: Call,
  budget: Budget,
): Promise<Record<string, unknown>> {
  const response = await net.fetchJson(call, budget)
  const { host } = new URL(call.url)
  throwStructuredError(response, host)
  if (isRecord(response)) return response
  throw new UpstreamError('bad_response', `${host} was to answer with an object, and answered with something else.`)
}

/** A question as a form, for what is too long for an address. */
export function formCall(url: string, form: Record<string, string>): Call {
  return {
    url,
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

/** Throws when an answer says that it is about another place. A question in the wrong units would else look like "no data". */
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
    `A value at ${at.lat}, ${at.lng} was asked for, and the service gave one at ${answeredPoint.lat}, ${answeredPoint.lng}.`,
  )
}

const tolerance_degrees = 0.01
