import type { Dataset } from '../../src/catalog/records.ts'

export const windAtlas: Record<string, Dataset> = {
  global_wind_atlas: {
    service: 'global_wind_atlas',
    title: 'Global Wind Atlas power density at 100 m',
    publisher: 'DTU and World Bank',
    license: 'CC BY 4.0',
    attribution: 'Global Wind Atlas, DTU and World Bank, CC BY 4.0',
    source_url: 'https://globalwindatlas.info/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'country raster of the USA; islands only where the raster reaches them; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: null,
    ttl_seconds: 7_776_000,
    shape: 'raster',
    budget_ms: 1_000,
    needs_key: null,
    serve: [{ driver: 'pack', file: 'USA_power-density_100m.tif' }],
    bulk: 'https://globalwindatlas.info/api/gis/country/USA/power-density/100',
    recipe: {
      files: ['https://globalwindatlas.info/api/gis/country/USA/power-density/100'],
      redirects: ['gwa.cdn.nazkamapps.com'],
      rasters: [{ file: 'USA_power-density_100m.tif', member: 'USA_power-density_100m' }],
    },
    note: 'pack only',
  },
}
