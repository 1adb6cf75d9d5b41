/** A place on the map. */
export type Point = { lat: number; lng: number }

/** As precise as a click can be: a metre. */
export function roundedPoint({ lat, lng }: Point): Point {
  const turned = ((((lng + 180) % 360) + 360) % 360) - 180
  return { lat: Number(lat.toFixed(5)), lng: Number(turned.toFixed(5)) }
}

/** A coordinate as people read it, and as the search box takes it. */
export function pointText({ lat, lng }: Point): string {
  return `${lat}, ${lng}`
}

const earth_m = 6_371_008.8
const turns = 96

/** Where one comes to that goes so far in a direction (0: north, 90: east), on a sphere: near enough for a map. */
export function destination({ lat, lng }: Point, bearing_degrees: number, distance_m: number): Point {
  const [angle, bearing, phi] = [distance_m / earth_m, radiansOf(bearing_degrees), radiansOf(lat)]
  const there = Math.asin(Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing))
  const turned = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * Math.sin(there),
  )
  return { lat: (there * 180) / Math.PI, lng: lng + (turned * 180) / Math.PI }
}

/** The ring of all places that are so far from a place. */
export function ringOf(at: Point, radius_m: number): Point[] {
  return Array.from({ length: turns + 1 }, (_, i) => destination(at, (i / turns) * 360, radius_m))
}

function radiansOf(degrees: number): number {
  return (degrees * Math.PI) / 180
}
