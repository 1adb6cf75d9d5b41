import type { Catalog } from '../../catalog/catalog.ts'
import { isFullPreset } from '../../catalog/field-title.ts'
import type { Field } from '../../catalog/records.ts'
import { ApiError } from '../../model/error.ts'
import { listNearest } from '../../model/nearest-name.ts'
import { suggestionsFor } from './search-fields.ts'

/**
 * The requested fields: by name, by preset, or both. `on_unknown`: whether names that are not in the catalog reject the
 * request, or are left out.
 */
export type FieldRequest = {
  fields?: string[] | undefined
  preset?: string | undefined
  on_unknown?: UnknownFieldPolicy | undefined
}

/** What becomes of names that are not in the catalog. */
export const unknownFieldPolicies = ['reject', 'skip'] as const
type UnknownFieldPolicy = (typeof unknownFieldPolicies)[number]

/** The selected fields, and the failures of the names that were left out. */
export type Selection = { fields: Field[]; unknown: UnknownField[] }
/** A name that is not in the catalog, as an item of `partial_failures`. */
export type UnknownField = { field: string; source: string; error: string; retryable: false }

/**
 * What counts against the maximum of fields: `union`, preset and names (fetch); `explicit`, only the names (batch);
 * `none`, nothing (selections that were checked before).
 */
export type FieldCap = 'union' | 'explicit' | 'none'

const suggestedMax = 10
/** Unknown names that the error repeats. */
const unknownMax = 50
/** Characters of an unknown name that the error repeats. */
const echoedMax = 200
/** Above this, the error does not say how many names are unknown. */
const countedMax = 1000

/**
 * Returns the fields of a request: first those of the preset, then the named ones, without duplicates.
 * @throws {ApiError} `no_fields_requested`, `preset_unknown`, `fields_unknown` or `fields_too_many`.
 */
export function selectFields(request: FieldRequest, cap: FieldCap, catalog: Catalog): Field[] {
  return selectKnownFields({ ...request, on_unknown: 'reject' }, cap, catalog).fields
}

/**
 * Returns the fields of a request as `selectFields` does, and with `on_unknown: "skip"` the names that are not in the
 * catalog.
 */
export function selectKnownFields(
  { fields = [], preset, on_unknown = 'reject' }: FieldRequest,
  cap: FieldCap,
  catalog: Catalog,
): Selection {
  const members = presetFieldsOf(preset, catalog)
  const names = [...new Set([...members, ...fields])]
  if (names.length === 0) {
    throw new ApiError(
      'no_fields_requested',
      'No fields requested. Name at least one field in `fields`, or a `preset`. GET /v1/meta/fields lists both.',
      { presets: [...catalog.presets.keys()] },
    )
  }
  const unknown = names.filter((name) => !catalog.fields.has(name))
  if (on_unknown === 'reject') requireKnownFields(unknown, catalog)
  const count = cap === 'union' ? names.length : new Set(fields).size
  const max = catalog.fieldsPerRequestMax
  if (cap !== 'none' && count > max) throw tooManyFieldsError(count, max, preset)
  return {
    fields: names.flatMap((name) => catalog.fields.get(name) ?? []),
    unknown: unknown.map((name) => unknownFieldOf(name, catalog)),
  }
}

function tooManyFieldsError(requested: number, max: number, preset: string | undefined): ApiError {
  const advice = isFullPreset(preset ?? '')
    ? 'Use POST /v1/fetch/batch or POST /v1/runs for this preset.'
    : 'Split the request, or use POST /v1/fetch/batch, where the fields of a preset do not count.'
  return new ApiError('fields_too_many', `Too many fields: ${requested} requested, ${max} allowed. ${advice}`, {
    requested,
    max,
  })
}

function unknownFieldOf(name: string, catalog: Catalog): UnknownField {
  const field = name.slice(0, echoedMax)
  const [suggestion] = suggestionsFor(field, catalog)
  const advice = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`
  return {
    field,
    source: 'catalog',
    error: `fields_unknown: There is no field ${JSON.stringify(field)}.${advice}`,
    retryable: false,
  }
}

function presetFieldsOf(preset: string | undefined, { presets }: Catalog): string[] {
  if (preset === undefined || preset === '') return []
  const found = presets.get(preset)
  if (found) return found.fields
  const known = [...presets.keys()]
  const requested = preset.slice(0, echoedMax)
  throw new ApiError(
    'preset_unknown',
    `Unknown preset ${JSON.stringify(requested)}. ${listNearest(requested, known)} GET /v1/meta/fields lists all presets.`,
    { preset: requested, presets: known },
  )
}

function requireKnownFields(names: string[], catalog: Catalog): void {
  if (names.length === 0) return
  const fields_unknown = names.slice(0, unknownMax).map((name) => name.slice(0, echoedMax))
  const suggestions = Object.fromEntries(
    fields_unknown.slice(0, suggestedMax).map((name) => [name, suggestionsFor(name, catalog)]),
  )
  const suggestion = Object.values(suggestions).find((names) => names.length > 0)?.[0]
  const advice = suggestion ? ` Did you mean ${JSON.stringify(suggestion)}?` : ''
  const quoted = fields_unknown.slice(0, 5).map((name) => JSON.stringify(name))
  const more = names.length > 5 ? ` and ${countText(names.length - 5)} more` : ''
  throw new ApiError(
    'fields_unknown',
    `Unknown ${names.length === 1 ? 'field' : 'fields'} ${quoted.join(', ')}${more}.${advice} ` +
      'Field names include their unit (slope_degrees) and are not abbreviated (intersects_wetland). GET /v1/meta/fields lists all fields.',
    { fields_unknown, suggestions },
  )
}

/** The reader of bodies keeps only some of very many names, so a large count is not exact. */
function countText(count: number): string {
  return count > countedMax ? `more than ${countedMax}` : String(count)
}
