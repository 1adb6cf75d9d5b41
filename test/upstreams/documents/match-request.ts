import type { Point } from '../../../src/model/place.ts'
import type { ReceivedRequest } from '../service.ts'

/**
 * Whether a request is a GET of a path (a pattern must match all of it) with the required parameters, each equal to a
 * string or matching a pattern.
 */
export function isGetOf(
  request: ReceivedRequest,
  path: string | RegExp,
  requested: Record<string, string | RegExp> = {},
): boolean {
  if (request.method !== 'GET' || !fits(request.path, path)) return false
  return Object.entries(requested).every(([name, form]) => fits(request.query.get(name), form))
}

/** Returns the point of two parameters, or `null` if one is missing, not a plain number, or out of range. */
export function pointFromQuery(query: URLSearchParams, lat: string, lng: string): Point | null {
  return pointFrom(query.get(lat), query.get(lng))
}

/** Parses a point from two strings. */
export function pointFrom(lat: string | null | undefined, lng: string | null | undefined): Point | null {
  if (!fits(lat, decimal) || !fits(lng, decimal)) return null
  const at = { lat: Number(lat), lng: Number(lng) }
  return Math.abs(at.lat) <= 90 && Math.abs(at.lng) <= 180 ? at : null
}

/** Parses a box in degrees from its west, south, east and north, or returns `null`. */
export function boxFrom(texts: (string | null | undefined)[]) {
  if (texts.length !== 4 || !texts.every((text) => fits(text, decimal))) return null
  const [w, s, e, n] = texts.map(Number) as [number, number, number, number]
  return w <= e && s <= n
    ? { w, s, e, n, holds: ({ lat, lng }: Point) => lng >= w && lng <= e && lat >= s && lat <= n }
    : null
}

/** Parses a number as publishers do. */
export const decimal = /-?\d+(\.\d+)?/

function fits(value: string | null | undefined, form: string | RegExp): boolean {
  if (value === null || value === undefined) return false
  return typeof form === 'string' ? value === form : new RegExp(`^(?:${form.source})$`, form.flags).test(value)
}
