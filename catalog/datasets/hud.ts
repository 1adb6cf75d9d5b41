import type { Dataset } from '../../src/catalog/records.ts'

export const hud: Record<string, Dataset> = {
  hud_fair_market_rents: {
    service: 'hud_fair_market_rents',
    title: 'Fair market rents',
    publisher: 'HUD',
    license: 'US government work, public domain',
    source_url: 'https://hudgis-hud.opendata.arcgis.com/datasets/HUD::fair-market-rents/about',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'states and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Fiscal year, each 1 October',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hud_fair_market_rents.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/Fair_Market_Rents/FeatureServer/0',
      },
    ],
    bulk: null,
    attributes: ['FMR_CODE', 'FMR_AREANAME', 'FMR_2BDR'],
  },
  hud_opportunity_zones: {
    service: 'hud_opportunity_zones',
    title: 'Qualified Opportunity Zones (2018 designations)',
    publisher: 'HUD',
    license: 'US government work, public domain',
    source_url: 'https://hudgis-hud.opendata.arcgis.com/datasets/HUD::opportunity-zones/about',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'designations cover states and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2018',
    vintage_note: '2018 designations on 2010 tracts',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hud_opportunity_zones.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/Opportunity_Zones/FeatureServer/13',
      },
    ],
    bulk: null,
    attributes: ['GEOID10'],
  },
  hud_qct: {
    service: 'hud_qct',
    title: 'Qualified census tracts 2026',
    publisher: 'HUD',
    license: 'US government work, public domain',
    source_url: 'https://hudgis-hud.opendata.arcgis.com/datasets/HUD::qualified-census-tracts-2026/about',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'designations cover states and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2026',
    vintage_note: 'Year in the layer name, new each autumn',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hud_qct.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/QUALIFIED_CENSUS_TRACTS_2026/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  hud_dda: {
    service: 'hud_dda',
    title: 'Difficult development areas 2026',
    publisher: 'HUD',
    license: 'US government work, public domain',
    source_url: 'https://hudgis-hud.opendata.arcgis.com/datasets/HUD::difficult-development-areas-2026/about',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'designations cover states and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2026',
    vintage_note: 'Year in the layer name, new each autumn',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hud_dda.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/Difficult_Development_Areas_2026/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  hud_lihtc: {
    service: 'hud_lihtc',
    title: 'Low-income housing tax credit properties',
    publisher: 'HUD',
    license: 'US government work, public domain',
    source_url: 'https://lihtc.huduser.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'designations cover states and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Recent awards lag',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hud_lihtc.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/LIHTC/FeatureServer/0',
      },
    ],
    bulk: null,
  },
}
