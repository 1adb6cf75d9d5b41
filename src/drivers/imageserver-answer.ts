import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { Call, HttpClient } from '../net/http-client.ts'
import { pointOf } from './imageserver-ground.ts'
import { refuseError } from './structured-error.ts'

/** The members of the answer of an image service. An error that ArcGIS answers with status 200 is thrown by its code. */
export async function answered(net: HttpClient, call: Call, budget: Budget): Promise<Record<string, unknown>> {
  const answer = await net.fetchJson(call, budget)
  const { host } = new URL(call.url)
  refuseError(answer, host)
  if (isRecord(answer)) return answer
  throw new UpstreamError('bad_response', `${host} was to answer with an object, and answered with something else.`)
}

/** A question as a form, for what is too long for an address. */
export function posted(url: string, form: Record<string, string>): Call {
  return { url, method: 'POST', body: new URLSearchParams(form).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
}

/** Throws when an answer says that it is about another place. A question in the wrong units would else look like "no data". */
export function checkLocation(location: unknown, at: Point): void {
  const found = isRecord(location) ? pointOf(location) : null
  if (!found) return
  const [north, east] = [Math.abs(found.lat - at.lat), Math.abs(((found.lng - at.lng + 540) % 360) - 180)]
  if (north <= farthest_degrees && east <= farthest_degrees) return
  throw new UpstreamError('bad_value', `A value at ${at.lat}, ${at.lng} was asked for, and the service gave one at ${found.lat}, ${found.lng}.`)
}

const farthest_degrees = 0.01
