import type { Dataset } from '../../src/catalog/records.ts'

export const geoplatform: Record<string, Dataset> = {
  geoplatform_transmission_lines: {
    service: 'geoplatform_transmission_lines',
    title: 'Electric power transmission lines',
    publisher: 'GeoPlatform (HIFLD Open)',
    licence: 'US government work, public domain',
    source_url: 'https://atlas.eia.gov/datasets/d4090758322c4d32a4cd002ffaa0aa12_0/about',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage: '2024-09-30',
    vintage_note: 'Archive of HIFLD Open, data to 2024-09-30',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'geoplatform_transmission_lines.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/US_Electric_Power_Transmission_Lines/FeatureServer/0',
      },
    ],
    bulk: 'https://hub.arcgis.com/api/download/v1/items/d4090758322c4d32a4cd002ffaa0aa12/geojson?layers=0&spatialRefId=4326',
    sentinels: [-999999, 'NOT AVAILABLE'],
  },
  geoplatform_power_plants: {
    service: 'geoplatform_power_plants',
    title: 'Power plants (EIA copy)',
    publisher: 'GeoPlatform (EIA)',
    licence: 'US government work, public domain',
    source_url: 'https://atlas.eia.gov/datasets/b063316fac7345dba4bae96eaa813b2f_0/about',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage: '2025-02',
    vintage_note: 'Period 2025-02',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'geoplatform_power_plants.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/Power_Plants_in_the_US/FeatureServer/0',
      },
    ],
    bulk: 'https://www.eia.gov/electricity/data/eia860m/',
  },
  geoplatform_gas_pipelines: {
    service: 'geoplatform_gas_pipelines',
    title: 'Natural gas interstate and intrastate pipelines',
    publisher: 'GeoPlatform (EIA)',
    licence: 'US government work, public domain',
    source_url: 'https://atlas.eia.gov/datasets/9833ca6c8103490b8ad145a30f0522ee_0/about',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage_note: 'Static',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'geoplatform_gas_pipelines.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/Natural_Gas_Interstate_and_Intrastate_Pipelines_1/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  geoplatform_petroleum_pipelines: {
    service: 'geoplatform_petroleum_pipelines',
    title: 'Petroleum product pipelines',
    publisher: 'GeoPlatform (EIA)',
    licence: 'US government work, public domain',
    source_url: 'https://atlas.eia.gov/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage_note: 'Static',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'geoplatform_petroleum_pipelines.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/Petroleum_Products_Pipelines_1/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  hifld_electric_territories: {
    service: 'hifld_electric_territories',
    title: 'Electric retail service territories',
    publisher: 'HIFLD',
    licence: 'US government work, public domain',
    source_url: 'https://catalog.data.gov/dataset/electric-retail-service-territories',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage: '2025-08-21',
    vintage_note: 'Frozen at 2025-08-21',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'hifld_electric_territories.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services3.arcgis.com/OYP7N6mAJJCyH6hd/arcgis/rest/services/Electric_Retail_Service_Territories_HIFLD/FeatureServer/0',
        area: true,
      },
    ],
    bulk: null,
    sentinels: ['NOT AVAILABLE'],
  },
}
