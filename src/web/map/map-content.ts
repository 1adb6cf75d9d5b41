import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'

/** A selected place: the first (a) or the one compared with it (b). */
export type MapPlace = { at: Point; kind: 'a' | 'b' }

/** One of many locations, colored by its value. */
type MapDot = { id: string; at: Point; color: string; label: string }

/** What is drawn on top of the base map. */
export type MapContent = { places: MapPlace[]; shapes: DrawnFeature[]; dots: MapDot[] }

/** GeoJSON by source name. */
export type BaseData = Record<string, object>
