import type { CatalogContents, Dataset, Field, ReadSpec } from '../../src/catalog/records.ts'

/** A dataset that holds together, but for what is said. */
export function datasetOf(more: Partial<Dataset> = {}): Dataset {
  return {
    service: 'made_up',
    title: 'Made up',
    publisher: 'Nobody',
    licence: 'none needed',
    source_url: 'https://example.org/',
    coverage: { regions: 'everywhere', note: null },
    vintage_note: null,
    ttl_seconds: 60,
    shape: 'features',
    serve: [{ driver: 'embedded', layer: 'areas' }],
    bulk: null,
    budget_ms: 1_000,
    needs_key: null,
    ...more,
  }
}

/** A field that holds together, but for what is said. */
export function fieldOf(name: string, read: ReadSpec, more: Partial<Field> = {}): Field {
  return {
    name,
    read,
    description: 'Made up.',
    interpretation_hints: 'None.',
    layer: 'made_up',
    lifecycle: 'beta',
    type: 'string',
    unit: null,
    null_meaning: 'Nothing there.',
    derivation: null,
    ttl_seconds: 60,
    evidence: 'made up',
    ...more,
  }
}

/** A catalog of these fields, over the datasets `areas` and `computed` unless others are given. */
export function contentsOf(fields: Field[], more: Partial<CatalogContents> = {}): CatalogContents {
  return {
    version: '0.0.1',
    released: '2026-01-01T00:00:00+00:00',
    fields,
    datasets: usual,
    presets: {},
    synonyms: {},
    ...more,
  }
}

export const usual: Record<string, Dataset> = {
  areas: datasetOf(),
  computed: datasetOf({ service: 'computed', shape: 'document', serve: [{ driver: 'computed' }] }),
}
