import type { Point } from '../../model/place.ts'

/** A selected place: the first (a) or the one compared with it (b). */
export type MapPlace = { at: Point; kind: 'a' | 'b' }

/** A line to a nearby feature, or a circle at its distance when its position is unknown. */
export type MapLine = { from: Point; to: Point } | { from: Point; radius_m: number }

/** One of many locations, colored by its value. */
type MapDot = { id: string; at: Point; color: string; label: string }

/** What is drawn on top of the base map. */
export type MapContent = { places: MapPlace[]; lines: MapLine[]; dots: MapDot[] }
