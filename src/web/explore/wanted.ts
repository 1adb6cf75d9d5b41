import type { Address } from '../address.ts'
import { pointText, type Point } from '../map/point.ts'

/** What is looked at: one place, perhaps a second to compare it with, and the fields. All of it stands in the address. */
export type Wanted = {
  at: Point | null
  vs: Point | null
  name: string | null
  preset: string | null
  fields: string[]
}

/** What is asked when nothing was chosen: it can be answered everywhere. */
export const firstPreset = 'place_context'
/** What the service answers at most at once. */
export const fieldsMax = 50

export function wantedOf(query: URLSearchParams): Wanted {
  const fields = (query.get('fields') ?? '')
    .split(',')
    .filter((name) => name !== '')
    .slice(0, fieldsMax)
  return {
    at: pointOf(query.get('at')),
    vs: pointOf(query.get('vs')),
    name: query.get('name'),
    preset: query.get('preset') ?? (fields.length > 0 ? null : firstPreset),
    fields,
  }
}

/** Writes a place into the address; with a name where it has one that people know. */
export function lookAt(address: Address, at: Point, name: string | null): void {
  address.step({ at: textOf(at), name })
}

export function compareWith(address: Address, at: Point | null): void {
  address.step({ vs: at && textOf(at) })
}

export function choose(address: Address, { preset, fields }: { preset: string | null; fields: string[] }): void {
  address.step({
    preset: preset === firstPreset && fields.length === 0 ? null : preset,
    fields: fields.length > 0 ? fields.join(',') : null,
  })
}

/** What is sent to the service for a place. */
export function bodyOf(at: Point, { preset, fields }: Pick<Wanted, 'preset' | 'fields'>): Record<string, unknown> {
  return { lat: at.lat, lng: at.lng, ...selectionOf({ preset, fields }) }
}

/** The selection as the service takes it. */
export function selectionOf({ preset, fields }: Pick<Wanted, 'preset' | 'fields'>): Record<string, unknown> {
  return { ...(preset !== null && { preset }), ...(fields.length > 0 && { fields }) }
}

function textOf(at: Point): string {
  return pointText(at).replace(' ', '')
}

function pointOf(text: string | null): Point | null {
  const parts = /^(-?\d{1,3}(?:\.\d{1,9})?),(-?\d{1,3}(?:\.\d{1,9})?)$/.exec(text ?? '')
  return parts && { lat: Number(parts[1]), lng: Number(parts[2]) }
}
