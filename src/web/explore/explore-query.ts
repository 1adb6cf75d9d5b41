import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { Point } from '../../model/place.ts'
import { defaultPreset } from '../catalog-store.ts'
import { pointParameter } from '../map/geometry.ts'
import { urlOf, type Router } from '../router.ts'

/**
 * What the Explore page shows: a place, an optional second place for comparison, and the fields. All of it is in the
 * URL.
 */
export type ExploreQuery = {
  at: Point | null
  vs: Point | null
  name: string | null
  preset: string | null
  fields: string[]
}

/** The maximum number of fields that one request can name. */
export const maxFields = 50

export function parseExploreQuery(query: URLSearchParams): ExploreQuery {
  const fields = (query.get('fields') ?? '')
    .split(',')
    .filter((name) => name !== '')
    .slice(0, maxFields)
  return {
    at: parsePoint(query.get('at')),
    vs: parsePoint(query.get('vs')),
    name: query.get('name'),
    preset: query.get('preset') ?? (fields.length > 0 ? null : defaultPreset),
    fields,
  }
}

/** Shows a place, with its name if it has one. */
export function showPlace(router: Router, at: Point, name: string | null): void {
  // The map moves to the place, so the view of the link that was opened no longer applies.
  router.pushQuery({ at: pointParameter(at), name, map: null })
}

export function showComparison(router: Router, at: Point | null): void {
  router.pushQuery({ vs: at && pointParameter(at) })
}

export function showFields(router: Router, { preset, fields }: { preset: string | null; fields: string[] }): void {
  router.pushQuery({
    preset: preset === defaultPreset && fields.length === 0 ? null : preset,
    fields: fields.join(',') || null,
  })
}

/** Returns the request body for a place. */
export function fetchBodyOf(
  at: Point,
  { preset, fields }: Pick<ExploreQuery, 'preset' | 'fields'>,
): Record<string, unknown> {
  return { lat: at.lat, lng: at.lng, ...selectionOf({ preset, fields }) }
}

/** Returns the field selection as request members. */
export function selectionOf({ preset, fields }: Pick<ExploreQuery, 'preset' | 'fields'>): Record<string, unknown> {
  return { ...(preset !== null && { preset }), ...(fields.length > 0 && { fields }) }
}

/** Returns the address of the report of the shown places. */
export function reportUrl({ at, vs, name, preset, fields }: ExploreQuery, units: UnitSystem): string {
  return urlOf('/report', {
    at: at && pointParameter(at),
    vs: vs && pointParameter(vs),
    preset,
    fields: fields.join(',') || null,
    units,
    name: vs ? null : name,
  })
}

function parsePoint(text: string | null): Point | null {
  const parts = /^(-?\d{1,3}(?:\.\d{1,9})?),(-?\d{1,3}(?:\.\d{1,9})?)$/.exec(text ?? '')
  return parts && { lat: Number(parts[1]), lng: Number(parts[2]) }
}
