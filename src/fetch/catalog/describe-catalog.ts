import { areaKindOf } from '../../catalog/area-kind.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { CatalogDocument, CatalogField } from '../../catalog/catalog-document.ts'
import { evidenceOf } from '../../catalog/evidence.ts'
import { hasMarginOfError } from '../../catalog/read-spec.ts'
import { vintageNoteOf } from '../../catalog/data-date.ts'
import type { Field } from '../../catalog/records.ts'
import type { CatalogSnapshot } from './catalog-state.ts'
import { answeredHere, presetDetailsOf } from './answered-here.ts'
import { providersByField, type FieldProviders } from '../sources/providers.ts'
import { usBox } from '../../geo/us.ts'

/** Returns the catalog document of all fields. */
export function catalogDocumentOf({ catalog, registry }: CatalogSnapshot): CatalogDocument {
  const provisions = providersByField(catalog, registry)
  const fields = [...catalog.fields.values()].map((field) =>
    catalogFieldOf(field, catalog, provisions.get(field.name)!),
  )
  const presets = Object.fromEntries([...catalog.presets].map(([name, { fields: members }]) => [name, members]))
  const answered = answeredHere({ catalog, registry })
  return {
    version: catalog.version,
    generated_at: catalog.released,
    count: fields.length,
    fields,
    presets,
    preset_details: presetDetailsOf(catalog, answered),
    answered_now: answered.now.size,
    answered_offline: answered.offline.size,
    us_envelope: usBox,
  }
}

/** Returns the entry of a field in the catalog document. */
export function catalogFieldOf(field: Field, catalog: Catalog, { providers, vintage }: FieldProviders): CatalogField {
  const { name, label, class_labels, replaced_by, decimals, null_meaning, read } = field
  const dataset = catalog.datasets.get(read.dataset)!
  const { service, source_url, coverage } = dataset
  return {
    name,
    ...(label !== undefined && { label }),
    description: field.description,
    interpretation_hints: field.interpretation_hints,
    layer: field.layer,
    lifecycle: field.lifecycle,
    ...(replaced_by ? { replaced_by } : {}),
    type: field.type,
    area_kind: areaKindOf(field),
    unit: field.unit,
    ...(decimals !== undefined && { decimals }),
    ...(hasMarginOfError(read) && { margin_of_error: true }),
    nullable: null_meaning !== null,
    null_meaning,
    derivation: field.derivation,
    presets: catalog.presetsOf(name),
    source: service,
    source_url: field.source_url ?? source_url,
    ttl_seconds: field.ttl_seconds,
    valid_range: field.valid_range ?? null,
    enum: field.enum ?? null,
    ...(class_labels && { class_labels }),
    vintage,
    ...(vintage === null && { vintage_note: vintageNoteOf(dataset) }),
    evidence: evidenceOf(field, catalog),
    coverage: { regions: coverage.regions === 'everywhere' ? ['everywhere'] : coverage.regions, note: coverage.note },
    providers,
  }
}
