import type { MapPoint } from './geometry.ts'

/** A place that is looked at: the first, or the one it is compared with. */
export type MapPlace = { at: MapPoint; kind: 'a' | 'b' }

/** From a place to something near it, or, where only the distance is known, the ring on which it lies. */
export type MapLine = { from: MapPoint; to: MapPoint } | { from: MapPoint; radius_m: number }

/** One of many places, in the colour of its value. */
type MapDot = { id: string; at: MapPoint; color: string; label: string }

/** What lies on the base map. */
export type MapContent = { places: MapPlace[]; lines: MapLine[]; dots: MapDot[] }
