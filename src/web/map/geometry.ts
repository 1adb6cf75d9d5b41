import type { Point } from '../../model/place.ts'

/** Rounds a coordinate to about one meter, the precision of a click, and wraps its longitude. */
export function roundPoint({ lat, lng }: Point): Point {
  const wrapped_lng = ((((lng + 180) % 360) + 360) % 360) - 180
  return { lat: Number(lat.toFixed(5)), lng: Number(wrapped_lng.toFixed(5)) }
}

/** Formats a coordinate in the form that the search box accepts. */
export function pointText({ lat, lng }: Point): string {
  return `${lat}, ${lng}`
}
