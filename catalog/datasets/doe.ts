import type { Dataset } from '../../src/catalog/records.ts'

/**
 * GeoTIFF keys of the projection that the WIND Toolkit rasters really use: Lambert conformal conic on NAD83, in meters,
 * with origin 40 N 96 W and standard parallels 20 and 60. The files claim degrees.
 */
const lambertOfWindToolkit = {
  1024: 1,
  2048: 4269,
  3072: 32_767,
  3074: 32_767,
  3075: 8,
  3076: 9001,
  3078: 20,
  3079: 60,
  3084: -96,
  3085: 40,
  3086: 0,
  3087: 0,
}

export const doe: Record<string, Dataset> = {
  nlr_solar_resource: {
    service: 'nlr_solar_resource',
    title: 'Solar resource data v1',
    publisher: 'NLR (formerly NREL)',
    licence: 'Free with an API key; provided as is; citation required',
    attribution: 'NLR (formerly NREL)',
    source_url: 'https://developer.nlr.gov/docs/solar/solar-resource-v1/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'NSRDB model area; coverage of the territories not stated' },
    vintage: '1998-2009',
    vintage_note: '1998-2009 average',
    confidence: { level: 'medium', reason: 'Modeled averages of 1998 to 2009.' },
    ttl_seconds: 7_776_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: { env: 'NLR_API_KEY', required: true },
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://developer.nlr.gov/api/solar/solar_resource/v1.json?api_key={key}&lat={lat}&lon={lon}',
        expects: '$.outputs',
        absent: { json_path: '$.outputs.avg_dni', matches: '^no data$' },
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
      },
    ],
    bulk: null,
  },
  nlr_pvwatts_v8: {
    service: 'nlr_pvwatts_v8',
    title: 'PVWatts v8',
    publisher: 'NLR (formerly NREL)',
    licence: 'Free with an API key; provided as is; citation required',
    attribution: 'NLR (formerly NREL)',
    source_url: 'https://developer.nlr.gov/docs/solar/pvwatts/v8/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'NSRDB model area; coverage of the territories not stated' },
    vintage: 'v8',
    vintage_note: 'v8',
    confidence: { level: 'medium', reason: 'Modeled production of a standard system.' },
    ttl_seconds: 7_776_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: { env: 'NLR_API_KEY', required: true },
    serve: [
      {
        driver: 'rest',
        endpoint:
          'https://developer.nlr.gov/api/pvwatts/v8.json?api_key={key}&lat={lat}&lon={lon}&system_capacity=1&azimuth=180&tilt=20&array_type=1&module_type=0&losses=14',
        expects: '$.outputs',
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
      },
    ],
    bulk: null,
  },
  nrel_wtk_mean_80m: {
    service: 'nrel_wtk_mean',
    title: 'WIND Toolkit long-term mean wind speed at 80 m',
    publisher: 'NLR (formerly NREL)',
    licence: 'Free with attribution to NLR',
    attribution: 'NLR (formerly NREL)',
    source_url: 'https://www.nlr.gov/gis/wind-resource-maps',
    coverage: { regions: ['conus'], note: null },
    vintage: '2007-2013',
    vintage_note: '2007-2013 mean',
    ttl_seconds: 7_776_000,
    shape: 'raster',
    budget_ms: 1_000,
    needs_key: null,
    serve: [
      {
        driver: 'pack',
        file: 'wtk_conus_80m_mean_masked.tif',
        note: 'the source file claims EPSG:4326 but is Lambert NAD83, and its rows run from south to north; the import corrects the projection',
      },
    ],
    bulk: 'https://www.nlr.gov/docs/libraries/gis/us-wind-data.zip',
    recipe: {
      files: ['https://www.nlr.gov/docs/libraries/gis/us-wind-data.zip'],
      rasters: [
        { file: 'wtk_conus_80m_mean_masked.tif', member: 'wtk_conus_80m_mean_masked', geo_keys: lambertOfWindToolkit },
      ],
    },
    note: 'pack only',
  },
  nrel_wtk_mean_100m: {
    service: 'nrel_wtk_mean',
    title: 'WIND Toolkit long-term mean wind speed at 100 m',
    publisher: 'NLR (formerly NREL)',
    licence: 'Free with attribution to NLR',
    attribution: 'NLR (formerly NREL)',
    source_url: 'https://www.nlr.gov/gis/wind-resource-maps',
    coverage: { regions: ['conus'], note: null },
    vintage: '2007-2013',
    vintage_note: '2007-2013 mean',
    ttl_seconds: 7_776_000,
    shape: 'raster',
    budget_ms: 1_000,
    needs_key: null,
    serve: [
      {
        driver: 'pack',
        file: 'wtk_conus_100m_mean_masked.tif',
        note: 'the source file claims EPSG:4326 but is Lambert NAD83, and its rows run from south to north; the import corrects the projection',
      },
    ],
    bulk: 'https://www.nlr.gov/docs/libraries/gis/us-wind-data.zip',
    recipe: {
      files: ['https://www.nlr.gov/docs/libraries/gis/us-wind-data.zip'],
      rasters: [
        {
          file: 'wtk_conus_100m_mean_masked.tif',
          member: 'wtk_conus_100m_mean_masked',
          geo_keys: lambertOfWindToolkit,
        },
      ],
    },
    note: 'pack only',
  },
  nlr_alt_fuel_stations: {
    service: 'nlr_alt_fuel_stations',
    title: 'Alternative fuel stations, electric',
    publisher: 'NLR (formerly NREL) / AFDC',
    licence: 'US government work, public domain',
    source_url: 'https://afdc.energy.gov/stations/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage_note: 'Weekly pack, live service',
    ttl_seconds: 86_400,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: { env: 'NLR_API_KEY', required: false, note: 'only the API at developer.nlr.gov needs a key' },
    serve: [
      { driver: 'pack', file: 'nlr_alt_fuel_stations.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/Alternative_Fueling_Stations/FeatureServer/0',
        note: 'keyless mirror, preferred default',
      },
      {
        driver: 'rest_features',
        endpoint:
          'https://developer.nlr.gov/api/alt-fuel-stations/v1/nearest.json?api_key={key}&latitude={lat}&longitude={lon}&radius={miles}&fuel_type=ELEC&access=public&status=E&limit=200',
        json_path: '$.fuel_stations[*]',
        lat: 'latitude',
        lon: 'longitude',
        total: '$.total_results',
        note: 'the maximum of the parameter limit, 200, is general knowledge, not taken from the source',
      },
    ],
    bulk: null,
    note: 'the mirror and the pack hold every fuel, and private, planned and closed stations too; the fields keep fuel_type_code ELEC, status_code E and access_code public',
  },
  netl_coal_closure: {
    service: 'netl_coal_closure',
    title: 'Coal closure energy communities 2024',
    publisher: 'DOE NETL',
    licence: 'US government work, public domain',
    source_url:
      'https://arcgis.netl.doe.gov/portal/apps/experiencebuilder/experience/?id=a2ce47d4721a477a8701bd0e08495e1d',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage: '2024',
    vintage_note: '2024 vintage',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'netl_coal_closure.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://arcgis.netl.doe.gov/server/rest/services/Hosted/2024_Coal_Closure_Energy_Communities/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  netl_statistical_area: {
    service: 'netl_statistical_area',
    title: 'Statistical area energy communities 2024',
    publisher: 'DOE NETL',
    licence: 'US government work, public domain',
    source_url:
      'https://arcgis.netl.doe.gov/portal/apps/experiencebuilder/experience/?id=a2ce47d4721a477a8701bd0e08495e1d',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage: '2024',
    vintage_note: '2024 vintage',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'netl_statistical_area.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://arcgis.netl.doe.gov/server/rest/services/Hosted/2024_MSAs_NonMSAs_that_are_Energy_Communities/FeatureServer/0',
      },
    ],
    bulk: null,
  },
}
