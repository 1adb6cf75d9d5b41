import type { Dataset } from '../../src/catalog/records.ts'

export const bts: Record<string, Dataset> = {
  bts_hpms: {
    service: 'bts_hpms',
    title: 'Highway Performance Monitoring System 2024',
    publisher: 'FHWA / BTS',
    license: 'US government work, public domain',
    source_url: 'https://www.fhwa.dot.gov/policyinformation/hpms.cfm',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr'],
      note: 'states, DC and Puerto Rico; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2024',
    vintage_note: 'Yearly',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 30_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'bts_hpms.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/HPMS_National_Current/FeatureServer/0',
        note: 'envelope queries only',
      },
    ],
    bulk: null,
  },
  bts_narn_rail: {
    service: 'bts_narn_rail',
    title: 'North American Rail Network lines',
    publisher: 'BTS (NTAD)',
    license: 'US government work, public domain',
    source_url: 'https://geodata.bts.gov/datasets/usdot::north-american-rail-network-lines/about',
    coverage: {
      regions: ['conus', 'ak', 'hi'],
      note: 'also Canada and Mexico; coverage of the territories not stated',
    },
    vintage_note: null,
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'bts_narn_rail.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/NTAD_North_American_Rail_Network_Lines/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  bts_transit_stops: {
    service: 'bts_transit_stops',
    title: 'National Transit Map stops',
    publisher: 'BTS (NTAD)',
    license: 'US government work, public domain',
    source_url: 'https://geodata.bts.gov/datasets/usdot::national-transit-map-stops/about',
    coverage: {
      regions: ['conus', 'ak', 'hi'],
      note: 'only agencies that take part; coverage of the territories not stated',
    },
    vintage_note: null,
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'bts_transit_stops.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/NTAD_National_Transit_Map_Stops/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  fhwa_nbi: {
    service: 'fhwa_nbi',
    title: 'National Bridge Inventory',
    publisher: 'FHWA through BTS (NTAD)',
    license: 'US government work, public domain',
    source_url: 'https://www.fhwa.dot.gov/bridge/nbi/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Yearly',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'fhwa_nbi.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/NTAD_National_Bridge_Inventory/FeatureServer/0',
      },
    ],
    bulk: null,
    attributes: ['STRUCTURE_NUMBER_008', 'FACILITY_CARRIED_007', 'FEATURES_DESC_006A'],
  },
}
