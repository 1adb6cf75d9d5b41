import type { Dataset } from '../../src/catalog/records.ts'

export const fhfa: Record<string, Dataset> = {
  fhfa_hpi_county: {
    service: 'fhfa_hpi_county',
    title: 'House price index, counties (developmental)',
    publisher: 'FHFA',
    license: 'US government work, public domain',
    source_url: 'https://www.fhfa.gov/data/hpi/datasets',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage_note: 'Annual',
    dated_by: { text: '{Year}' },
    confidence: { level: 'medium', reason: 'A developmental index, estimated from repeat sales.' },
    ttl_seconds: 2_592_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'fhfa_hpi_county.gpkg' },
      {
        driver: 'table',
        asset: 'https://www.fhfa.gov/hpi/download/annual/hpi_at_county.xlsx',
        sheet: 'county',
        preamble_rows: 5,
        key_columns: ['FIPS code'],
        known_key: '08013',
        note: 'codes are text or numbers: pad to five digits',
      },
    ],
    bulk: 'https://www.fhfa.gov/hpi/download/annual/hpi_at_county.xlsx',
    sentinels: ['.'],
    key_field: 'county_fips',
  },
}
