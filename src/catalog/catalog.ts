/**
 * The types and checks of the catalog, whose data are in the folder `catalog/`: datasets, fields, presets, words. A
 * catalog with a mistake does not start.
 */
import { catalogErrorsOf } from './checks.ts'
import {
  fieldsPerRequestMax,
  type Canary,
  type CatalogContents,
  type Dataset,
  type EvidenceGroup,
  type Field,
  type Preset,
} from './records.ts'
import { resolveRead } from './resolve-read.ts'

/** The checked catalog, indexed by name. `presetsOf` returns the presets that contain a field. */
export type Catalog = {
  version: string
  released: string
  fields: ReadonlyMap<string, Field>
  datasets: ReadonlyMap<string, Dataset>
  presets: ReadonlyMap<string, Preset>
  synonyms: ReadonlyMap<string, string[]>
  looseSynonyms: ReadonlySet<string>
  relatedFields: ReadonlyMap<string, string[]>
  presetsOf(field: string): string[]
  /** The recording or report that confirms a field, if there is one. */
  fieldEvidence: ReadonlyMap<string, EvidenceGroup>
  canaries: ReadonlyMap<string, Canary[]>
  /** The most fields of one request on this server. */
  fieldsPerRequestMax: number
}

/**
 * Returns the contents if they are valid. The build checks the built-in catalog, so that the executable does not: it
 * would take longer than the rest of the start.
 * @throws Error with all errors of the contents.
 */
export function requireValidContents(contents: CatalogContents): CatalogContents {
  const errors = catalogErrorsOf(contents)
  if (errors.length > 0) throw new Error(`The catalog is invalid. Fix these errors:\n${errors.join('\n')}`)
  return contents
}

/**
 * Indexes valid contents by name. `fieldsMax`: the most fields of one request. A preset has all members of its `_full`
 * preset if one request may have so many.
 */
export function createCatalog(contents: CatalogContents, fieldsMax = fieldsPerRequestMax): Catalog {
  const { version, released, fields, datasets, synonyms, looseSynonyms, relatedFields, fieldEvidence, canaries } =
    contents
  const presets = presetsFor(contents.presets, fieldsMax)
  const labelled = fields.map((field) => withLabels(field, contents))
  const presetsOf = new Map(
    fields.map(({ name }) => [name, Object.keys(presets).filter((preset) => presets[preset]!.fields.includes(name))]),
  )
  return {
    version,
    released,
    fields: new Map(labelled.map((field) => [field.name, { ...field, read: resolveRead(field.read, datasets) }])),
    datasets: new Map(Object.entries(datasets)),
    presets: new Map(Object.entries(presets)),
    synonyms: new Map(Object.entries(synonyms)),
    looseSynonyms: new Set(looseSynonyms),
    relatedFields: new Map(Object.entries(relatedFields)),
    presetsOf: (field) => presetsOf.get(field) ?? [],
    fieldEvidence: new Map(fieldEvidence.flatMap((group) => group.fields.map((name) => [name, group]))),
    canaries: new Map(Object.entries(canaries)),
    fieldsPerRequestMax: fieldsMax,
  }
}

function presetsFor(presets: Record<string, Preset>, fieldsMax: number): Record<string, Preset> {
  return Object.fromEntries(
    Object.entries(presets).map(([name, preset]) => {
      const full = presets[`${name}_full`]
      return [name, full && full.fields.length <= fieldsMax ? { ...preset, fields: full.fields } : preset]
    }),
  )
}

/** Adds the labels of a field. A label in its own record wins, as in an overlay. */
function withLabels(field: Field, { fieldLabels, classLabels }: CatalogContents): Field {
  const label = field.label ?? fieldLabels[field.name]
  const class_labels = field.class_labels ?? classLabels[field.name]
  return { ...field, ...(label !== undefined && { label }), ...(class_labels && { class_labels }) }
}

/** The hosts of the services that datasets name. Redirects may lead to these. */
export function sourceHostsOf(datasets: Iterable<Dataset>): Set<string> {
  const urls = [...datasets].flatMap(({ serve }) => serve).flatMap(urlsIn)
  return new Set(urls.flatMap((url) => hostOf(url) ?? []))
}

function urlsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:\/\//.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlsIn) : []
}

/** The host of a URL that may contain `{names}` in its path. */
function hostOf(url: string): string | null {
  return /^https?:\/\/([^/?#{}]+)/.exec(url)?.[1]?.toLowerCase() ?? null
}
