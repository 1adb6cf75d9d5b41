import { areaKindOf } from '../../catalog/area-kind.ts'
import type { CatalogDocument, CatalogField, PresetDetails } from '../../catalog/catalog-document.ts'
import { evidenceOf } from '../../catalog/evidence.ts'
import { hasMarginOfError } from '../../catalog/read-spec.ts'
import { vintageNoteOf } from '../../catalog/data-date.ts'
import type { Field, Dataset } from '../../catalog/records.ts'
import type { CatalogSnapshot } from './catalog-state.ts'
import { providersByField, type FieldProviders, type ProviderOptions } from '../sources/providers.ts'
import { usBox } from '../../geo/us.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { SourceRegistry } from '../sources/source-registry.ts'

/** Returns the catalog document of all fields. */
export function catalogDocumentOf({ catalog, registry }: CatalogSnapshot): CatalogDocument {
  const provisions = providersByField(catalog, registry)
  const fields = [...catalog.fields.values()].map((field) => entryOf(field, provisions.get(field.name)!))
  const presets = Object.fromEntries([...catalog.presets].map(([name, { fields: members }]) => [name, members]))
  const preset_details = presetDetailsOf(catalog, registry)
  return {
    version: catalog.version,
    generated_at: catalog.released,
    count: fields.length,
    fields,
    presets,
    preset_details,
    us_envelope: usBox,
  }

  function entryOf(field: Field, { providers, vintage }: FieldProviders): CatalogField {
    const {
      name,
      label,
      class_labels,
      description,
      interpretation_hints,
      layer,
      lifecycle,
      replaced_by,
      type,
      unit,
      decimals,
      null_meaning,
      derivation,
      ttl_seconds,
      valid_range = null,
      enum: values = null,
      read,
      source_url: ownSourceUrl,
    } = field
    const dataset = catalog.datasets.get(read.dataset)!
    const { service: source, source_url, coverage } = dataset
    return {
      name,
      ...(label !== undefined && { label }),
      description,
      interpretation_hints,
      layer,
      lifecycle,
      ...(replaced_by ? { replaced_by } : {}),
      type,
      area_kind: areaKindOf(field),
      unit,
      ...(decimals !== undefined && { decimals }),
      ...(hasMarginOfError(read) && { margin_of_error: true }),
      nullable: null_meaning !== null,
      null_meaning,
      derivation,
      presets: catalog.presetsOf(name),
      source,
      source_url: ownSourceUrl ?? source_url,
      ttl_seconds,
      valid_range,
      enum: values,
      ...(class_labels && { class_labels }),
      vintage,
      ...(vintage === null && { vintage_note: vintageNoteOf(dataset) }),
      evidence: evidenceOf(field, catalog),
      coverage: { regions: coverage.regions === 'everywhere' ? ['everywhere'] : coverage.regions, note: coverage.note },
      providers,
    }
  }
}

/** Returns for each preset how many of its members can be answered now, online without keys, and offline. */
function presetDetailsOf(catalog: Catalog, registry: SourceRegistry): Record<string, PresetDetails> {
  const now = answeredFields(catalog, registry)
  const online = answeredFields(catalog, { dataset: (id) => keylessOptionsOf(catalog.datasets.get(id)!) })
  const offline = answeredFields(catalog, {
    dataset(id) {
      const { dataset, options } = registry.dataset(id)
      return { dataset, options: options.filter(({ remote }) => remote === null) }
    },
  })
  const details = ([name, { reason, fields }]: [string, { reason: string; fields: string[] }]): [
    string,
    PresetDetails,
  ] => {
    const count = (answered: ReadonlySet<string>) => fields.filter((field) => answered.has(field)).length
    return [
      name,
      {
        reason,
        fields: fields.length,
        answered_now: count(now),
        answered_online_without_keys: count(online),
        answered_offline: count(offline),
      },
    ]
  }
  return Object.fromEntries([...catalog.presets].map(details))
}

function answeredFields(catalog: Catalog, options: ProviderOptions): Set<string> {
  const providers = providersByField(catalog, options)
  return new Set([...providers].filter(([, it]) => it.providers.length > 0).map(([name]) => name))
}

/** Returns the options that need no key, no pack and no server of the operator's own, as Overpass does. */
function keylessOptionsOf(dataset: Dataset): ReturnType<ProviderOptions['dataset']> {
  const isOpen = dataset.needs_key?.required !== true
  const serve = isOpen ? dataset.serve.filter(({ driver }) => !driver.startsWith('pack') && driver !== 'overpass') : []
  return { dataset, options: serve.map(({ driver }) => ({ driver, vintage: null })) }
}
