import type { Dataset } from '../../src/catalog/records.ts'

export const nga: Record<string, Dataset> = {
  nga_egm96: {
    service: 'nga_egm96',
    title: 'Earth Gravitational Model 1996, geoid undulation on a 15-minute grid',
    publisher: 'NGA',
    license: 'US government work, public domain',
    source_url: 'https://earth-info.nga.mil/',
    coverage: { regions: 'everywhere', note: null },
    vintage: '1996',
    vintage_note: 'Static',
    ttl_seconds: 31_536_000,
    shape: 'raster',
    budget_ms: 1_000,
    needs_key: null,
    serve: [{ driver: 'embedded', layer: 'geoid' }],
    bulk: null,
  },
}
