import type { Point } from '../../model/place.ts'

/** Rounds a coordinate, by default to about one meter, the precision of a click, and wraps its longitude. */
export function roundPoint({ lat, lng }: Point, digits = 5): Point {
  const wrapped_lng = ((((lng + 180) % 360) + 360) % 360) - 180
  return { lat: Number(lat.toFixed(digits)), lng: Number(wrapped_lng.toFixed(digits)) }
}

/** Formats a coordinate as a parameter of a URL. */
export function pointParameter({ lat, lng }: Point): string {
  return `${lat},${lng}`
}

/** Formats a coordinate in the form that the search box accepts. */
export function pointText({ lat, lng }: Point): string {
  return `${lat}, ${lng}`
}
