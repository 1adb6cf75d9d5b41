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

/** What part of the map is shown. */
export type MapView = { center: Point; zoom: number }

/** Returns a view as the URL has it: latitude, longitude and zoom. */
export function mapViewText({ center, zoom }: MapView): string {
  const { lat, lng } = roundPoint(center, 4)
  return `${lat},${lng},${Number(zoom.toFixed(1))}`
}

/** Parses a view; null for a text that is none. */
export function parseMapView(text: string | null): MapView | null {
  const parts = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  const [lat, lng, zoom] = parts as [number, number, number]
  const isView = parts.length === 3 && Math.abs(lat) <= 85 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= 22
  return isView ? { center: { lat, lng }, zoom } : null
}
