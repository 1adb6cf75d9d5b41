import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import { ApiError } from '../model/error.ts'
import { suggestionsFor } from './suggest.ts'

/** Which fields are wanted: by name, by preset, or both. */
export type FieldSelection = { fields?: string[] | undefined; preset?: string | undefined }

/** What the cap of fifty counts: the whole union (fetch), only the names given (batch, whose presets are exempt), or nothing (a selection that was judged before). */
export type FieldCap = 'union' | 'explicit' | 'none'

export const maxFieldsPerRequest = 50
const suggestedMax = 10
/** Letters of an unknown name that are sent back. */
const echoedMax = 200

/** The fields a request asks for: its preset's and then its own, each once, in order. */
export function selectFields({ fields = [], preset }: FieldSelection, cap: FieldCap, catalog: Catalog): Field[] {
  const members = presetFieldsOf(preset, catalog)
  const names = [...new Set([...members, ...fields])]
  if (names.length === 0) {
    throw new ApiError(
      'no_fields_requested',
      'Name at least one field in `fields`, or a `preset`; GET /v1/meta/fields lists them all.',
      { presets: [...catalog.presets.keys()] },
    )
  }
  requireKnownFields(
    names.filter((name) => !catalog.fields.has(name)),
    catalog,
  )
  const count = cap === 'union' ? names.length : new Set(fields).size
  if (cap !== 'none' && count > maxFieldsPerRequest) {
    throw new ApiError(
      'fields_too_many',
      `${count} fields are asked for and ${maxFieldsPerRequest} are allowed: split the request.`,
      { requested: count, max: maxFieldsPerRequest },
    )
  }
  return names.map((name) => catalog.fields.get(name)!)
}

function presetFieldsOf(preset: string | undefined, { presets }: Catalog): string[] {
  if (preset === undefined || preset === '') return []
  const found = presets.get(preset)
  if (found) return found.fields
  const known = [...presets.keys()]
  const requested = preset.slice(0, echoedMax)
  throw new ApiError(
    'preset_unknown',
    `There is no preset ${JSON.stringify(requested)}; there are ${known.join(', ')}.`,
    { preset: requested, presets: known },
  )
}

function requireKnownFields(names: string[], catalog: Catalog): void {
  if (names.length === 0) return
  const unknown = names.map((name) => name.slice(0, echoedMax))
  const suggestions = Object.fromEntries(
    unknown.slice(0, suggestedMax).map((name) => [name, suggestionsFor(name, catalog)]),
  )
  const suggestion = Object.values(suggestions).find((names) => names.length > 0)?.[0]
  const advice = suggestion ? ` Did you mean ${suggestion}?` : ''
  throw new ApiError(
    'fields_unknown',
    `The catalog has no field ${unknown
      .slice(0, 5)
      .map((name) => JSON.stringify(name))
      .join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''}.${advice} ` +
      'A field name ends in its unit (slope_degrees), and a predicate has its full name (intersects_wetland); GET /v1/meta/fields lists them all.',
    { unknown: unknown.slice(0, maxFieldsPerRequest), suggestions },
  )
}
