import type { Dataset } from '../../src/catalog/records.ts'

export const lbl: Record<string, Dataset> = {
  lbl_queued_up: {
    service: 'lbl_queued_up',
    title: 'Queued Up: requests for interconnection to the transmission grid',
    publisher: 'Lawrence Berkeley National Laboratory',
    license: 'CC BY 4.0',
    attribution: 'Lawrence Berkeley National Laboratory and GridTracker, CC BY 4.0',
    source_url: 'https://emp.lbl.gov/queues',
    coverage: {
      regions: ['conus', 'ak', 'hi'],
      note: 'more than 50 operators, with some 98 % of the installed capacity; Connecticut by its former counties, so its planning regions have none',
    },
    vintage: '2025',
    confidence: { level: 'medium', reason: 'A yearly edition, summed by county.' },
    vintage_note: 'Edition 2026, requests to the end of 2025',
    ttl_seconds: 2_592_000,
    shape: 'document',
    budget_ms: 30_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'lbl_queued_up.gpkg' },
      {
        driver: 'table',
        asset: 'https://eta-publications.lbl.gov/sites/default/files/2026-05/lbnl_ix_queue_data_file_thru2025.xlsx',
        sheet: '03. Complete Queue Data',
        preamble_rows: 1,
        key_columns: ['fips_code'],
        known_key: '48005',
        note: 'the host has refused programs that do not look like a browser; then build the pack from the file',
      },
    ],
    bulk: 'https://eta-publications.lbl.gov/sites/default/files/2026-05/lbnl_ix_queue_data_file_thru2025.xlsx',
  },
}
