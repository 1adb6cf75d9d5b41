import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import { ApiError } from '../model/error.ts'
import { nearestName } from '../model/nearest-name.ts'
import { suggestionsFor } from './suggest.ts'

/** The requested fields: by name, by preset, or both. */
export type FieldRequest = { fields?: string[] | undefined; preset?: string | undefined }

/**
 * What counts against the maximum of 50 fields: `union`, preset and names (fetch); `explicit`, only the names (batch);
 * `none`, nothing (selections that were checked before).
 */
export type FieldCap = 'union' | 'explicit' | 'none'

/** The maximum number of fields in a request. */
export const maxFieldsPerRequest = 50
const suggestedMax = 10
/** Characters of an unknown name that the error repeats. */
const echoedMax = 200
/** Above this, the error does not say how many names are unknown. */
const countedMax = 1000

/**
 * Returns the fields of a request: first those of the preset, then the named ones, without duplicates.
 * @throws {ApiError} `no_fields_requested`, `preset_unknown`, `fields_unknown` or `fields_too_many`.
 */
export function selectFields({ fields = [], preset }: FieldRequest, cap: FieldCap, catalog: Catalog): Field[] {
  const members = presetFieldsOf(preset, catalog)
  const names = [...new Set([...members, ...fields])]
  if (names.length === 0) {
    throw new ApiError(
      'no_fields_requested',
      'No fields requested. Name at least one field in `fields`, or a `preset`. GET /v1/meta/fields lists both.',
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
      `Too many fields: ${count} requested, ${maxFieldsPerRequest} allowed. Split the request.`,
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
  const nearest = nearestName(requested, known)
  const advice = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  throw new ApiError(
    'preset_unknown',
    `Unknown preset ${JSON.stringify(requested)}.${advice} Presets: ${known.join(', ')}.`,
    {
      preset: requested,
      presets: known,
    },
  )
}

function requireKnownFields(names: string[], catalog: Catalog): void {
  if (names.length === 0) return
  const unknown = names.slice(0, maxFieldsPerRequest).map((name) => name.slice(0, echoedMax))
  const suggestions = Object.fromEntries(
    unknown.slice(0, suggestedMax).map((name) => [name, suggestionsFor(name, catalog)]),
  )
  const suggestion = Object.values(suggestions).find((names) => names.length > 0)?.[0]
  const advice = suggestion ? ` Did you mean ${JSON.stringify(suggestion)}?` : ''
  const quoted = unknown.slice(0, 5).map((name) => JSON.stringify(name))
  const more = names.length > 5 ? ` and ${countText(names.length - 5)} more` : ''
  throw new ApiError(
    'fields_unknown',
    `Unknown ${names.length === 1 ? 'field' : 'fields'} ${quoted.join(', ')}${more}.${advice} ` +
      'Field names include their unit (slope_degrees) and are not abbreviated (intersects_wetland). GET /v1/meta/fields lists all fields.',
    { unknown, suggestions },
  )
}

/** The reader of bodies keeps only some of very many names, so a large count is not exact. */
function countText(count: number): string {
  return count > countedMax ? `more than ${countedMax}` : String(count)
}
