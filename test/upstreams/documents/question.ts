import type { Point } from '../../../src/model/place.ts'
import type { ReceivedRequest } from '../service.ts'

/** Whether a question is a GET of a path (a pattern must match all of it) with the parameters that the publisher demands, each equal to a text or in a form. */
export function gets(
  request: ReceivedRequest,
  path: string | RegExp,
  requested: Record<string, string | RegExp> = {},
): boolean {
  if (request.method !== 'GET' || !fits(request.path, path)) return false
  return Object.entries(requested).every(([name, form]) => fits(request.query.get(name), form))
}

/** The point that two parameters name; `null` when one is missing, is not a plain number, or is off the globe. */
export function pointOf(query: URLSearchParams, lat: string, lng: string): Point | null {
  return pointFrom(query.get(lat), query.get(lng))
}

/** The point of two texts. */
export function pointFrom(lat: string | null | undefined, lng: string | null | undefined): Point | null {
  if (!fits(lat, decimal) || !fits(lng, decimal)) return null
  const at = { lat: Number(lat), lng: Number(lng) }
  return Math.abs(at.lat) <= 90 && Math.abs(at.lng) <= 180 ? at : null
}

/** A box in degrees, from the texts of its west, south, east and north; `null` when it is not one. */
export function boxFrom(texts: (string | null | undefined)[]) {
  if (texts.length !== 4 || !texts.every((text) => fits(text, decimal))) return null
  const [w, s, e, n] = texts.map(Number) as [number, number, number, number]
  return w <= e && s <= n
    ? { w, s, e, n, holds: ({ lat, lng }: Point) => lng >= w && lng <= e && lat >= s && lat <= n }
    : null
}

/** A number as publishers read one. */
export const decimal = /-?\d+(\.\d+)?/

function fits(value: string | null | undefined, form: string | RegExp): boolean {
  if (value === null || value === undefined) return false
  return typeof form === 'string' ? value === form : new RegExp(`^(?:${form.source})$`, form.flags).test(value)
}
