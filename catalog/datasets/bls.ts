import type { Dataset } from '../../src/catalog/records.ts'

export const bls: Record<string, Dataset> = {
  bls_qcew_county: {
    service: 'bls_qcew_county',
    title: 'Quarterly Census of Employment and Wages, counties',
    publisher: 'BLS',
    license: 'US government work, public domain',
    source_url: 'https://www.bls.gov/cew/additional-resources/open-data/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi'],
      note: 'coverage of territories other than Puerto Rico and the US Virgin Islands not stated; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: '5 to 7 months after the quarter',
    dated_by: { text: '{year} Q{qtr}' },
    ttl_seconds: 604_800,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'bls_qcew_county.gpkg' },
      {
        driver: 'table',
        asset: 'https://data.bls.gov/cew/data/api/{year}/{quarter}/area/{county_fips}.csv',
        key_columns: ['area_fips'],
        note: 'a quarter that is not published yet gives 404, or the header line alone; then the quarter before it is tried, up to four quarters in all. A withheld row has a code in disclosure_code (N; since 2025 Q4, N or a hyphen) and zeros for numbers',
      },
    ],
    bulk: 'https://data.bls.gov/cew/data/files/{year}/csv/{year}_qtrly_singlefile.zip',
    key_field: 'county_fips',
  },
  bls_laus_county: {
    service: 'bls_laus_county',
    title: 'Local Area Unemployment Statistics, counties',
    publisher: 'BLS',
    license: 'US government work, public domain',
    source_url: 'https://www.bls.gov/lau/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr'],
      note: 'coverage of territories other than Puerto Rico not stated; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Monthly',
    dated_by: { from: '$.Results.series[0].data[0]', text: '{periodName} {year}' },
    confidence: { level: 'medium', reason: 'Estimates from a model of the labor market.' },
    ttl_seconds: 604_800,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: {
      env: null,
      required: false,
      note: '25 queries a day without a registration key, 500 with one; prefer the bulk files',
    },
    serve: [
      { driver: 'pack', file: 'bls_laus_county.gpkg', under: ['Results', 'series', 0, 'data'] },
      {
        driver: 'rest',
        endpoint: 'https://api.bls.gov/publicAPI/v2/timeseries/data/LAUCN{county_fips}0000000003',
        expects: '$.status',
        faults: [
          { json_path: '$.status', matches: '^REQUEST_NOT_PROCESSED$', code: 'quota_exhausted' },
          { json_path: '$.status', matches: '^REQUEST_FAILED', code: 'upstream_rejected' },
        ],
        note: 'called without a key; REQUEST_NOT_PROCESSED then means that the 25 queries of the day are used up',
      },
    ],
    bulk: 'https://download.bls.gov/pub/time.series/la/',
    sentinels: ['-'],
    key_field: 'county_fips',
  },
}
