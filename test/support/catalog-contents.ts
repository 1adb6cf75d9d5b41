import { runToEnd } from '../../src/async/incremental-task.ts'
import { applyOverlays } from '../../src/catalog/overlay.ts'
import type { CatalogContents, Dataset, Field, ReadSpec } from '../../src/catalog/records.ts'

/** A valid dataset with overrides. */
export function datasetOf(overrides: Partial<Dataset> = {}): Dataset {
  return {
    service: 'made_up',
    title: 'Made up',
    publisher: 'Nobody',
    license: 'none needed',
    source_url: 'https://example.org/',
    coverage: { regions: 'everywhere', note: null },
    vintage_note: null,
    ttl_seconds: 60,
    shape: 'features',
    serve: [{ driver: 'embedded', layer: 'areas' }],
    bulk: null,
    budget_ms: 1_000,
    needs_key: null,
    ...overrides,
  }
}

/** A valid field with overrides. */
export function fieldOf(name: string, read: ReadSpec, overrides: Partial<Field> = {}): Field {
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
    ...overrides,
  }
}

/** A catalog of these fields. Its datasets are `areas` and `computed` unless overridden. */
export function contentsOf(fields: Field[], overrides: Partial<CatalogContents> = {}): CatalogContents {
  return {
    version: '0.0.1',
    released: '2026-01-01T00:00:00+00:00',
    fields,
    datasets: usualDatasets,
    presets: {},
    synonyms: {},
    looseSynonyms: [],
    relatedFields: {},
    fieldLabels: {},
    classLabels: {},
    fieldEvidence: [],
    canaries: {},
    ...overrides,
  }
}

export const usualDatasets: Record<string, Dataset> = {
  areas: datasetOf(),
  computed: datasetOf({ service: 'computed', shape: 'document', serve: [{ driver: 'computed' }] }),
}

/** Adds files to the contents in one go. */
export const withOverlays = (...given: Parameters<typeof applyOverlays>) => runToEnd(applyOverlays(...given))
