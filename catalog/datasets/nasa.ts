import type { Dataset } from '../../src/catalog/records.ts'

export const nasa: Record<string, Dataset> = {
  nasa_power_climatology: {
    service: 'nasa_power_climatology',
    title: 'NASA POWER climatology 2001-2020',
    publisher: 'NASA LaRC',
    licence: 'Public domain, cite NASA POWER',
    attribution: 'NASA POWER',
    source_url: 'https://power.larc.nasa.gov/docs/services/api/temporal/climatology/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage: '2001-2020',
    vintage_note: '2001-2020, v2.9',
    confidence: { level: 'medium', reason: 'Modeled averages of a coarse grid.' },
    ttl_seconds: 7_776_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'nasa_power_climatology.gpkg', layer: 'cells', document_column: 'document' },
      {
        driver: 'rest',
        endpoint:
          'https://power.larc.nasa.gov/api/temporal/climatology/point?parameters=T2M,PRECTOTCORR,HDD18_3,CDD18_3,FROST_DAYS,ALLSKY_SFC_SW_DWN,WS10M,WS50M&community=RE&longitude={lon}&latitude={lat}&format=JSON',
        expects: '$.properties.parameter',
        grids: [
          { lat: { step: 0.5, edge: 0.25 }, lng: { step: 0.625, edge: 0.3125 } },
          { lat: { step: 1, edge: 0 }, lng: { step: 1, edge: 0 } },
        ],
        note: 'according to NASA, the answer is that of the cell: 0.5 by 0.625 degrees for the weather (MERRA-2), 1 by 1 degree for the sun (CERES). A copy checks the corners of every cell',
      },
    ],
    bulk: null,
    sentinels: [-999],
    note: 'PRECTOTCORR is in mm/day',
  },
}
