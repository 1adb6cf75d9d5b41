import type { Point } from './point.ts'

/** A place that is looked at: the first, or the one it is compared with. */
export type ShownPlace = { at: Point; kind: 'a' | 'b' }

/** From a place to something near it, or, where only the distance is known, the ring on which it lies. */
export type ShownLine = { from: Point; to: Point } | { from: Point; radius_m: number }

/** One of many places, in the colour of its value. */
type ShownDot = { id: string; at: Point; colour: string; words: string }

/** What lies on the base map. */
export type Shown = { places: ShownPlace[]; lines: ShownLine[]; dots: ShownDot[] }
