import type { Dataset } from '../../src/catalog/records.ts'

export const ndmc: Record<string, Dataset> = {
  ndmc_usdm: {
    service: 'ndmc_usdm',
    title: 'US Drought Monitor, current week',
    publisher: 'NDMC, USDA and NOAA',
    license: 'Free with the credit line of the US Drought Monitor',
    attribution:
      'The U.S. Drought Monitor is jointly produced by the National Drought Mitigation Center at the University of Nebraska-Lincoln, the United States Department of Agriculture and the National Oceanic and Atmospheric Administration.',
    source_url: 'https://droughtmonitor.unl.edu/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr'], note: 'US and Puerto Rico' },
    vintage_note: 'Weekly, Thursday for the Tuesday before',
    ttl_seconds: 86_400,
    shape: 'features',
    budget_ms: 6_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'usdm.gpkg', layer: 'usdm' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services9.arcgis.com/RHVPKKiFTONKtxq3/arcgis/rest/services/US_Drought_Intensity_v1/FeatureServer/3',
      },
      {
        driver: 'geojson_file',
        asset: 'https://droughtmonitor.unl.edu/data/json/usdm_{YYYYMMDD}.json',
        attribute_map: { dm: 'DM' },
        note: 'one file of about 19 MB per week; its name has the date of the Tuesday that the map describes; index it locally',
      },
    ],
    bulk: null,
    attribute_limits: { dm: [0, 1, 2, 3, 4] },
    attributes: ['dm'],
  },
}
