import type { Dataset } from '../../src/catalog/records.ts'

export const macrostrat: Record<string, Dataset> = {
  macrostrat_units_large: {
    service: 'macrostrat',
    title: 'Macrostrat geologic map units, large scale',
    publisher: 'Macrostrat',
    license: 'CC BY 4.0',
    attribution: 'Macrostrat, CC BY 4.0',
    source_url: 'https://macrostrat.org/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'world; used only as a fallback of usgs_sgmc',
    },
    vintage_note: null,
    confidence: { level: 'medium', reason: 'A compilation of geologic maps of several scales.' },
    ttl_seconds: 2_592_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://macrostrat.org/api/v2/geologic_units/map?scale=large&lat={lat}&lng={lon}',
        expects: '$.success.data',
        note: 'without a scale the answer joins all scales in no order; a missing name or lithology is an empty text',
      },
    ],
    bulk: null,
  },
  macrostrat_units_medium: {
    service: 'macrostrat',
    title: 'Macrostrat geologic map units, medium scale',
    publisher: 'Macrostrat',
    license: 'CC BY 4.0',
    attribution: 'Macrostrat, CC BY 4.0',
    source_url: 'https://macrostrat.org/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'world; used only as a fallback of usgs_sgmc',
    },
    vintage_note: null,
    confidence: { level: 'medium', reason: 'A compilation of geologic maps of several scales.' },
    ttl_seconds: 2_592_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://macrostrat.org/api/v2/geologic_units/map?scale=medium&lat={lat}&lng={lon}',
        expects: '$.success.data',
        note: 'without a scale the answer joins all scales in no order; a missing name or lithology is an empty text',
      },
    ],
    bulk: null,
  },
}
