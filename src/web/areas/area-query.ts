import type { UnitSystem } from '../../ask/answer/display-units.ts'
import { parseShapeText, shapeTextOf, type AreaSelector } from '../../areas/shape/shape-text.ts'
import { parseExploreQuery, type ExploreQuery } from '../explore/explore-query.ts'
import { urlOf, type Router } from '../router.ts'

/** What the Areas page shows: an area with its name, and the fields. All of it is in the URL. */
export type AreaQueryState = {
  /** Null without a text, and for a text that is not an area. */
  shape: AreaSelector | null
  text: string | null
  selection: ExploreQuery
}

/** Longer shapes do not fit into a URL. */
const urlMax_characters = 12_000
/** A shape that is too long for the URL is kept in the browser under a name that begins so. */
const storedPrefix = 'stored:'

/** Whether a shape is only in this browser tab. */
export function isStored(text: string): boolean {
  return text.startsWith(storedPrefix)
}

export function parseAreaQuery(query: URLSearchParams): AreaQueryState {
  const text = query.get('shape')
  return { shape: text === null ? null : shapeOfText(text), text, selection: parseExploreQuery(query) }
}

/** Shows an area. One that is too long for the URL stays in this browser tab. */
export function showArea(router: Router, shape: AreaSelector, name: string | null): void {
  const text = shapeTextOf(shape)
  router.pushQuery({ shape: text.length > urlMax_characters ? storeShape(shape) : text, name, map: null })
}

/** Returns the URL of the page with an area. */
export function areaUrl(shape: AreaSelector): string {
  return urlOf('/areas', { shape: shapeTextOf(shape) })
}

/**
 * Returns the URL of the report of an area; null for a parcel, which is billed, and for an area that is not in the
 * URL.
 */
export function areaReportUrl({ shape, text, selection }: AreaQueryState, units: UnitSystem): string | null {
  if (text === null || shape?.parcel_of || isStored(text)) return null
  const { name, preset, fields } = selection
  return urlOf('/report', { shape: text, preset, fields: fields.join(',') || null, units, name })
}

function shapeOfText(text: string): AreaSelector | null {
  if (!isStored(text)) return parseShapeText(text)
  const stored = sessionStorage.getItem(`fieldstone ${text}`)
  return stored === null ? null : (JSON.parse(stored) as AreaSelector)
}

/** The browser tab keeps the latest long shape only, because its storage is small. */
function storeShape(shape: AreaSelector): string {
  const earlier = Object.keys(sessionStorage).filter((key) => key.startsWith(`fieldstone ${storedPrefix}`))
  const text = `${storedPrefix}${crypto.randomUUID().slice(0, 8)}`
  sessionStorage.setItem(`fieldstone ${text}`, JSON.stringify(shape))
  // If there is no space for the new shape, the earlier one is still there.
  for (const key of earlier) sessionStorage.removeItem(key)
  return text
}
