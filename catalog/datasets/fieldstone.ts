import type { Dataset } from '../../src/catalog/records.ts'

const computed: Dataset = {
  service: 'computed',
  title: 'Pure computation from the coordinate',
  publisher: 'Fieldstone',
  license: 'none needed',
  source_url: 'https://en.wikipedia.org/wiki/Universal_Transverse_Mercator_coordinate_system',
  coverage: { regions: 'everywhere', note: null },
  vintage_note: 'By library version',
  ttl_seconds: 31_536_000,
  shape: 'document',
  budget_ms: 100,
  needs_key: null,
  serve: [{ driver: 'computed' }],
  bulk: null,
}

export const fieldstone: Record<string, Dataset> = {
  computed,
  computed_from_fields: {
    ...computed,
    title: 'Formulas and classes over other fields',
    confidence: { level: 'medium', reason: 'Modeled with a formula of this service from other fields.' },
  },
}
