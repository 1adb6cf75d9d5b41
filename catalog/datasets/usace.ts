import type { Dataset } from '../../src/catalog/records.ts'

export const usace: Record<string, Dataset> = {
  usace_nid: {
    service: 'usace_nid', title: 'National Inventory of Dams', publisher: 'USACE',
    licence: 'US government work; public',
    source_url: 'https://nid.sec.usace.army.mil/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'gu'], note: 'national incl. Puerto Rico and Guam' },
    vintage_note: 'Monthly or better',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usace_nid.gpkg', layer: 'nid', note: 'about 92,500 points; small enough to embed' },
      {
        driver: 'arcgis',
        endpoint: 'https://geospatial.sec.usace.army.mil/dls/rest/services/NID/National_Inventory_of_Dams_Public_Service/FeatureServer/0',
      },
    ],
    bulk: 'https://nid.sec.usace.army.mil/api/nation/csv',
    attributes: [
      'NIDID', 'NAME', 'RIVER_OR_STREAM', 'PRIMARY_PURPOSE', 'NID_HEIGHT', 'NID_STORAGE', 'HAZARD_POTENTIAL', 'CONDITION_ASSESSMENT',
      'YEAR_COMPLETED',
    ],
    distinct: 'NIDID',
  },
  usace_nld_leveed_areas: {
    service: 'usace_nld', title: 'National Levee Database, leveed areas', publisher: 'USACE',
    licence: 'US government work; public use allowed',
    source_url: 'https://levees.sec.usace.army.mil/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national, incomplete for private levees; territories not stated' },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usace_nld.gpkg', layer: 'leveed_areas' },
      { driver: 'arcgis', endpoint: 'https://geospatial.sec.usace.army.mil/dls/rest/services/NLD/Public/FeatureServer/16', area: true },
    ],
    bulk: null,
    attributes: ['SYSTEM_ID', 'LEVEED_ID', 'SYSTEM_NAME'],
    note: 'levees.sec.usace.army.mil/api-local lists systems by a representative point only: it cannot tell what a levee protects',
  },
  usace_nld_routes: {
    service: 'usace_nld', title: 'National Levee Database, system routes', publisher: 'USACE',
    licence: 'US government work; public use allowed',
    source_url: 'https://levees.sec.usace.army.mil/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national, incomplete for private levees; territories not stated' },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usace_nld.gpkg', layer: 'system_routes' },
      {
        driver: 'arcgis', endpoint: 'https://geospatial.sec.usace.army.mil/dls/rest/services/NLD/Public/FeatureServer/15',
        max_allowable_offset_degrees: 0.00005, geometry_precision: 6,
      },
    ],
    bulk: null,
    attributes: ['SYSTEM_ID', 'SYSTEM_NAME'],
  },
  usace_principal_ports: {
    service: 'usace_principal_ports', title: 'Principal ports', publisher: 'USACE',
    licence: 'US government work, public domain',
    source_url: 'https://www.iwr.usace.army.mil/About/Technical-Centers/WCSC-Waterborne-Commerce-Statistics-Center/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'about 150 ports; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usace_principal_ports.gpkg' },
      { driver: 'arcgis', endpoint: 'https://services7.arcgis.com/n1YM8pTrFmm7L4hs/arcgis/rest/services/Principal_Ports/FeatureServer/0' },
    ],
    bulk: null,
  },
}
