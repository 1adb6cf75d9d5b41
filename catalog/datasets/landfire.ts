import type { Dataset } from '../../src/catalog/records.ts'

export const landfire: Record<string, Dataset> = {
  landfire_evt: {
    service: 'landfire_evt', title: 'LANDFIRE 2024 existing vegetation type', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/vegetation/evt',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_evt.tif' },
      {
        driver: 'imageserver', endpoint: 'https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_EVT_{region}/ImageServer',
        regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
      },
    ],
    bulk: null,
  },
  landfire_evt_classes: {
    service: 'landfire_evt', title: 'LANDFIRE 2024 existing vegetation type, names of the codes', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/vegetation/evt',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_evt_classes.gpkg' },
      {
        driver: 'table', asset: 'https://landfire.gov/sites/default/files/CSV/2024/LF2024_EVT.csv', key_columns: ['VALUE'], key_digits: 0,
        note: 'columns VALUE, EVT_NAME, EVT_LF, EVT_PHYS …; codes are compared as they are, without leading zeros',
      },
    ],
    bulk: 'https://landfire.gov/sites/default/files/CSV/2024/LF2024_EVT.csv',
    key_field: 'VALUE',
  },
  landfire_ch: {
    service: 'landfire_ch', title: 'LANDFIRE 2024 forest canopy height', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/fuel/ch',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_ch.tif' },
      {
        driver: 'imageserver', endpoint: 'https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_CH_{region}/ImageServer',
        regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
      },
    ],
    bulk: null,
  },
  landfire_cbh: {
    service: 'landfire_cbh', title: 'LANDFIRE 2024 canopy base height', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/fuel/cbh',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_cbh.tif' },
      {
        driver: 'imageserver', endpoint: 'https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_CBH_{region}/ImageServer',
        regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
      },
    ],
    bulk: null,
  },
  landfire_cbd: {
    service: 'landfire_cbd', title: 'LANDFIRE 2024 canopy bulk density', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/fuel/cbd',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_cbd.tif' },
      {
        driver: 'imageserver', endpoint: 'https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_CBD_{region}/ImageServer',
        regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
      },
    ],
    bulk: null,
  },
  landfire_fbfm40: {
    service: 'landfire_fbfm40', title: 'LANDFIRE 2024 fuel model (Scott and Burgan 40)', publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://landfire.gov/fuel/fbfm40',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'insular areas partly' },
    vintage: 'LF2024', vintage_note: 'LF2024',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'landfire_fbfm40.tif' },
      {
        driver: 'imageserver', endpoint: 'https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_FBFM40_{region}/ImageServer',
        regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
      },
    ],
    bulk: 'https://www.landfire.gov/data-downloads/CONUS_LF2024/LF2024_FBFM40_CONUS.zip',
  },
}
