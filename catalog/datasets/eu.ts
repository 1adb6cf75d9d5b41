import type { Dataset } from '../../src/catalog/records.ts'

export const eu: Record<string, Dataset> = {
  jrc_gsw: {
    service: 'jrc_gsw',
    title: 'Global Surface Water occurrence 1984-2021',
    publisher: 'European Commission JRC',
    license: 'Free use with credit',
    attribution: 'Source: EC JRC/Google',
    source_url: 'https://global-surface-water.appspot.com/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world, land tiles' },
    vintage: 'v1.4 (2021)',
    vintage_note: 'Version 1.4 (2021), static',
    ttl_seconds: 2_592_000,
    shape: 'raster',
    budget_ms: 10_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'jrc_gsw_occurrence_us.tif' },
      {
        driver: 'cog',
        format: { type: 'U8', bands: 1 },
        asset:
          'https://storage.googleapis.com/global-surface-water/downloads2021/occurrence/occurrence_{tile}v1_4_2021.tif',
        band: 1,
        tile: { degrees: 10, name: '{lon}{EW}_{lat}{NS}' },
        absent: { statuses: [404], text: '<Code>NoSuchKey</Code>' },
      },
    ],
    bulk: 'https://storage.googleapis.com/global-surface-water/downloads2021/occurrence/occurrence_{tile}v1_4_2021.tif',
  },
  sentinel2_l2a: {
    service: 'sentinel2_l2a',
    title: 'Sentinel-2 L2A scenes',
    publisher: 'European Union Copernicus',
    license: 'Copernicus free and open license',
    attribution: 'Contains modified Copernicus Sentinel data',
    source_url: 'https://planetarycomputer.microsoft.com/dataset/sentinel-2-l2a',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'About every 5 days',
    dated_by: { text: '{datetime}' },
    confidence: { level: 'medium', reason: 'Computed from satellite images.' },
    ttl_seconds: 86_400,
    shape: 'document',
    budget_ms: 60_000,
    needs_key: null,
    serve: [
      {
        driver: 'stac',
        endpoint: 'https://planetarycomputer.microsoft.com/api/stac/v1/search',
        collection: 'sentinel-2-l2a',
        point_endpoint:
          'https://planetarycomputer.microsoft.com/api/data/v1/item/point/{lon},{lat}?collection=sentinel-2-l2a&item={id}&assets=B04&assets=B08&assets=SCL',
        assets: { red: 'B04', nir: 'B08', mask: 'SCL' },
        absent: { statuses: [404], text: 'Point is outside dataset bounds' },
      },
      {
        driver: 'stac',
        endpoint: 'https://earth-search.aws.element84.com/v1/search',
        collection: 'sentinel-2-c1-l2a',
        assets: { red: 'red', nir: 'nir', mask: 'scl' },
        absent: { statuses: [403, 404], text: '<Code>(NoSuchKey|AccessDenied)</Code>' },
        note: 'public COGs; scale 0.0001, offset -0.1 in raster:bands',
      },
    ],
    bulk: null,
    note: 'no sensible pack',
  },
}
