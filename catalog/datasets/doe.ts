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

const windSpeeds = 'https://www.nlr.gov/docs/libraries/gis/us-wind-data.zip'
const wrongProjection =
  'the source file claims EPSG:4326 but is Lambert NAD83, and its rows run from south to north; the import corrects the projection'

const ofNlr = {
  publisher: 'NLR (formerly NREL)',
  attribution: 'NLR (formerly NREL)',
  ttl_seconds: 7_776_000,
  needs_key: null,
} satisfies Partial<Dataset>

const ofWindToolkit = {
  ...ofNlr,
  service: 'nrel_wtk_mean',
  license: 'Free with attribution to NLR',
  source_url: 'https://www.nlr.gov/gis/wind-resource-maps',
  coverage: { regions: ['conus'], note: null },
  vintage: '2007-2013',
  vintage_note: '2007-2013 mean',
  shape: 'raster',
  budget_ms: 1_000,
  bulk: windSpeeds,
  note: 'pack only',
} satisfies Partial<Dataset>

export const doe: Record<string, Dataset> = {
  nlr_solar_resource: {
    service: 'nlr_solar_resource',
    title: 'Solar resource data v1',
    publisher: 'NLR (formerly NREL)',
    license: 'Free with an API key; provided as is; citation required',
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
    license: 'Free with an API key; provided as is; citation required',
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
          'https://developer.nlr.gov/api/pvwatts/v8.json?api_key={key}&lat={lat}&lon={lon}&system_capacity=1&azimuth=180&tilt={lat}&array_type=0&module_type=0&losses=14',
        expects: '$.outputs',
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
      },
    ],
    bulk: null,
  },
  nrel_wtk_mean_80m: {
    ...ofWindToolkit,
    title: 'WIND Toolkit long-term mean wind speed at 80 m',
    serve: [{ driver: 'pack', file: 'wtk_conus_80m_mean_masked.tif', note: wrongProjection }],
    recipe: {
      files: [windSpeeds],
      rasters: [
        {
          file: 'wtk_conus_80m_mean_masked.tif',
          member: 'wtk_conus_80m_mean_masked',
          geo_keys: lambertOfWindToolkit,
        },
      ],
    },
  },
  nrel_wtk_mean_100m: {
    ...ofWindToolkit,
    title: 'WIND Toolkit long-term mean wind speed at 100 m',
    serve: [{ driver: 'pack', file: 'wtk_conus_100m_mean_masked.tif', note: wrongProjection }],
    recipe: {
      files: [windSpeeds],
      rasters: [
        {
          file: 'wtk_conus_100m_mean_masked.tif',
          member: 'wtk_conus_100m_mean_masked',
          geo_keys: lambertOfWindToolkit,
        },
      ],
    },
  },
  nrel_wtk_mean_120m: {
    ...ofWindToolkit,
    title: 'WIND Toolkit long-term mean wind speed at 120 m',
    serve: [{ driver: 'pack', file: 'wtk_conus_120m_mean_masked.tif', note: wrongProjection }],
    recipe: {
      files: [windSpeeds],
      rasters: [
        {
          file: 'wtk_conus_120m_mean_masked.tif',
          member: 'wtk_conus_120m_mean_masked',
          geo_keys: lambertOfWindToolkit,
        },
      ],
    },
  },
  nrel_wtk_mean_160m: {
    ...ofWindToolkit,
    title: 'WIND Toolkit long-term mean wind speed at 160 m',
    serve: [{ driver: 'pack', file: 'wtk_conus_160m_mean_masked.tif', note: wrongProjection }],
    recipe: {
      files: [windSpeeds],
      rasters: [
        {
          file: 'wtk_conus_160m_mean_masked.tif',
          member: 'wtk_conus_160m_mean_masked',
          geo_keys: lambertOfWindToolkit,
        },
      ],
    },
  },
  nlr_psm3_ghi: {
    ...ofNlr,
    service: 'nlr_psm3',
    title: 'Mean daily global horizontal irradiation 1998-2016, PSM v3, 4 km',
    license: 'Free with attribution to NLR',
    source_url: 'https://www.nlr.gov/gis/solar-resource-maps',
    coverage: { regions: ['conus', 'hi', 'pr', 'vi'], note: 'the grid of the Americas, up to 60 degrees north' },
    vintage: '1998-2016',
    vintage_note: '1998-2016 mean',
    shape: 'raster',
    budget_ms: 1_000,
    serve: [{ driver: 'pack', file: 'nsrdb3_ghi.tif' }],
    bulk: 'https://www.nlr.gov/docs/libraries/gis/nsrdbv3_ghi.zip',
    recipe: {
      files: ['https://www.nlr.gov/docs/libraries/gis/nsrdbv3_ghi.zip'],
      rasters: [{ file: 'nsrdb3_ghi.tif', member: 'nsrdb3_ghi' }],
    },
    note: 'pack only',
  },
  nlr_psm3_dni: {
    ...ofNlr,
    service: 'nlr_psm3',
    title: 'Mean daily direct normal irradiation 1998-2016, PSM v3, 4 km',
    license: 'Free with attribution to NLR',
    source_url: 'https://www.nlr.gov/gis/solar-resource-maps',
    coverage: { regions: ['conus', 'hi', 'pr', 'vi'], note: 'the grid of the Americas, up to 60 degrees north' },
    vintage: '1998-2016',
    vintage_note: '1998-2016 mean',
    shape: 'raster',
    budget_ms: 1_000,
    serve: [{ driver: 'pack', file: 'nsrdb3_dni.tif' }],
    bulk: 'https://www.nlr.gov/docs/libraries/gis/nsrdbv3_dni.zip',
    recipe: {
      files: ['https://www.nlr.gov/docs/libraries/gis/nsrdbv3_dni.zip'],
      rasters: [{ file: 'nsrdb3_dni.tif', member: 'nsrdb3_dni' }],
    },
    note: 'pack only',
  },
  nlr_nsrdb_tmy: {
    ...ofNlr,
    service: 'nlr_nsrdb_tmy',
    title: 'NSRDB GOES typical year (TMY 2024, v4), statistics of its hours',
    license: 'Free with an API key; provided as is; citation required',
    source_url: 'https://developer.nlr.gov/docs/solar/nsrdb/nsrdb-GOES-tmy-v4-0-0-download/',
    coverage: { regions: ['conus', 'hi', 'pr', 'vi'], note: 'North and South America up to 60 degrees north, 4 km' },
    vintage: 'tmy-2024',
    vintage_note: 'One typical year, put together of months of 1998 to 2024',
    confidence: { level: 'medium', reason: 'Modeled hours of a typical year.' },
    ttl_seconds: 31_536_000,
    shape: 'document',
    budget_ms: 15_000,
    needs_key: { env: 'NLR_API_KEY', email: 'NLR_API_EMAIL', required: true },
    serve: [
      {
        driver: 'hourly_csv',
        endpoint:
          'https://developer.nlr.gov/api/nsrdb/v2/solar/nsrdb-GOES-tmy-v4-0-0-download.csv?api_key={key}&wkt=POINT({lon}%20{lat})&names=tmy-2024&interval=60&utc=false&email={email}&attributes=ghi,dni,dhi,clearsky_ghi,clearsky_dni,air_temperature,dew_point,relative_humidity,surface_albedo,surface_pressure,total_precipitable_water,aod,wind_speed',
        statistics: {
          ghi_w_m2: { take: 'mean', of: 'GHI' },
          dni_w_m2: { take: 'mean', of: 'DNI' },
          dhi_w_m2: { take: 'mean', of: 'DHI' },
          clearsky_ghi_w_m2: { take: 'mean', of: 'Clearsky GHI' },
          clearsky_dni_w_m2: { take: 'mean', of: 'Clearsky DNI' },
          surface_albedo: { take: 'mean', of: 'Surface Albedo' },
          aerosol_optical_depth: { take: 'mean', of: 'AOD' },
          precipitable_water_cm: { take: 'mean', of: 'Precipitable Water' },
          relative_humidity_pct: { take: 'mean', of: 'Relative Humidity' },
          wind_speed_m_s: { take: 'mean', of: 'Wind Speed' },
          hours_at_most_10_degc: { take: 'hours_at_most', of: 'Temperature', limit: 10 },
          hours_at_most_15_degc: { take: 'hours_at_most', of: 'Temperature', limit: 15 },
          wet_bulb_99_6_degc: {
            take: 'percentile',
            of: 'wet_bulb',
            limit: 99.6,
            wet_bulb: { temperature_degc: 'Temperature', dew_point_degc: 'Dew Point', pressure_hpa: 'Pressure' },
          },
        },
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
      },
    ],
    bulk: null,
  },
  nlr_wtk_hours: {
    ...ofNlr,
    service: 'nlr_wtk_hours',
    title: 'WIND Toolkit, statistics of the hours of 2012 to 2014 at 100 m',
    license: 'Free with an API key; provided as is; citation required',
    source_url: 'https://developer.nlr.gov/docs/wind/wind-toolkit/wtk-download/',
    coverage: { regions: ['conus'], note: 'grid of 2 km' },
    vintage: '2012-2014',
    vintage_note: '2012-2014, the last three of the years 2007 to 2014',
    confidence: { level: 'medium', reason: 'Modeled hours of three years.' },
    ttl_seconds: 31_536_000,
    shape: 'document',
    budget_ms: 18_000,
    needs_key: { env: 'NLR_API_KEY', email: 'NLR_API_EMAIL', required: true },
    serve: [
      {
        driver: 'hourly_csv',
        endpoint:
          'https://developer.nlr.gov/api/wind-toolkit/v2/wind/wtk-download.csv?api_key={key}&wkt=POINT({lon}%20{lat})&names={year}&interval=60&utc=false&email={email}&attributes=windspeed_100m,winddirection_100m',
        years: [2012, 2013, 2014],
        statistics: {
          weibull_k: { take: 'weibull_shape', of: 'wind speed at 100m' },
          prevailing_sector: {
            take: 'prevailing_sector',
            of: 'wind direction at 100m',
            weight: 'wind speed at 100m',
          },
        },
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
      },
    ],
    bulk: null,
  },
  nrel_rev_onshore_wind: {
    ...ofNlr,
    service: 'nrel_rev_onshore_wind',
    title: 'reV supply curve of onshore wind 2024: open access, turbine of 115 m hub and 170 m rotor',
    license: 'CC BY 4.0',
    attribution: 'NLR (formerly NREL), CC BY 4.0',
    source_url: 'https://data.openei.org/submissions/8314',
    coverage: { regions: ['conus'], note: 'centers of cells of about 11.5 km' },
    vintage: '2024',
    vintage_note: 'Edition of 2024',
    confidence: { level: 'medium', reason: 'Modeled wind farms of a grid.' },
    ttl_seconds: 31_536_000,
    shape: 'features',
    budget_ms: 1_000,
    serve: [{ driver: 'pack', file: 'nrel_rev_onshore_wind.gpkg' }],
    bulk: 'https://data.openei.org/files/8314/lbw_open_access_2035_moderate_115hh_170rd_supply_curve.csv',
    recipe: {
      files: ['https://data.openei.org/files/8314/lbw_open_access_2035_moderate_115hh_170rd_supply_curve.csv'],
      complete: true,
      keep: ['sc_point_gid', 'capacity_factor_ac', 'dist_spur_km'],
    },
    note: 'pack only',
  },
  nlr_alt_fuel_stations: {
    service: 'nlr_alt_fuel_stations',
    title: 'Alternative fuel stations, electric',
    publisher: 'NLR (formerly NREL) / AFDC',
    license: 'US government work, public domain',
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
    license: 'US government work, public domain',
    source_url:
      'https://arcgis.netl.doe.gov/portal/apps/experiencebuilder/experience/?id=a2ce47d4721a477a8701bd0e08495e1d',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage: '2024 edition',
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
    license: 'US government work, public domain',
    source_url:
      'https://arcgis.netl.doe.gov/portal/apps/experiencebuilder/experience/?id=a2ce47d4721a477a8701bd0e08495e1d',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'coverage of the territories not stated' },
    vintage: '2024 edition',
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
