import type { Dataset } from '../../src/catalog/records.ts'

export const census: Record<string, Dataset> = {
  census_counties: {
    service: 'census_tiger_counties', title: 'Counties and county equivalents of TIGER/Line', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/geographies/mapping-files/time-series/geo/tiger-line-file.html',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: null },
    vintage_note: 'TIGER/Line 2010 with the changes up to 2023: the planning regions of Connecticut, the split of Valdez-Cordova, the renamed counties',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'counties' }],
    bulk: null,
  },
  census_statistical_areas_2010: {
    service: 'census_tiger_counties', title: 'Statistical areas of the counties of TIGER/Line 2010', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/geographies/mapping-files/time-series/geo/tiger-line-file.html',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'not where counties have changed since 2010: Connecticut, parts of Alaska, and the territories but Puerto Rico' },
    vintage: '2010', vintage_note: 'The delineation of the edition of 2010; later delineations move counties between areas',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'counties', where: "EDITION = '2010'", tessellated: true }],
    bulk: null,
  },
  census_tiger_coastline: {
    service: 'census_tiger_coastline', title: 'TIGER/Line national coastline', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/geographies/mapping-files/time-series/geo/tiger-line-file.html',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'national incl. islands' },
    vintage: 'TIGER/Line 2025', vintage_note: 'Yearly',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'census_coastline.gpkg', layer: 'coastline' },
    ],
    bulk: 'https://www2.census.gov/geo/tiger/TIGER2025/COASTLINE/tl_2025_us_coastline.zip',
    recipe: { files: ['https://www2.census.gov/geo/tiger/TIGER2025/COASTLINE/tl_2025_us_coastline.zip'], complete: true, keep: ['NAME', 'MTFCC'] },
  },
  census_geocoder_geographies: {
    service: 'census_geocoder_geographies', title: 'Census geographies of a coordinate', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://geocoding.geo.census.gov/geocoder/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'US, DC, Puerto Rico and island areas' },
    vintage_note: 'Current vintage; benchmarks change about twice a year',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 10_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'tiger_2025.gpkg',
        layers: [
          'STATE', 'COUNTY', 'TRACT', 'BG', 'TABBLOCK20', 'PLACE', 'COUSUB', 'UNSD', 'SCSD', 'ELSD', 'CD', 'SLDU', 'SLDL', 'CBSA',
          'ZCTA520', 'UAC20', 'AIANNH',
        ],
      },
      {
        driver: 'rest',
        endpoint: 'https://geocoding.geo.census.gov/geocoder/geographies/coordinates?x={lon}&y={lat}&benchmark=Public_AR_Current&vintage=Current_Current&layers=all&format=json',
        expects: '$.result.geographies', parts: { json_path: '$.result.geographies', fault: 'status' },
        note: 'a layer whose first record holds status instead of GEOID failed, inside an answer of 200',
      },
    ],
    bulk: 'https://www2.census.gov/geo/tiger/TIGER2025/COUNTY/tl_2025_us_county.zip',
  },
  census_tigerweb_states: {
    service: 'census_tigerweb_current', title: 'TIGERweb current, states', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'used only as a fallback; regions from general knowledge, not in the source notes',
    },
    vintage: '2025', vintage_note: 'Census Current (2025); layer ids shift, resolve by name',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'arcgis', endpoint: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer/80',
        layer_name: '^States$',
      },
    ],
    bulk: null,
  },
  census_tigerweb_counties: {
    service: 'census_tigerweb_current', title: 'TIGERweb current, counties', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'used only as a fallback; regions from general knowledge, not in the source notes',
    },
    vintage: '2025', vintage_note: 'Census Current (2025); layer ids shift, resolve by name',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'arcgis', endpoint: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer/82',
        layer_name: '^Counties$',
      },
    ],
    bulk: null,
  },
  census_tigerweb_tracts: {
    service: 'census_tigerweb_current', title: 'TIGERweb current, census tracts', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'used only as a fallback; regions from general knowledge, not in the source notes',
    },
    vintage: '2025', vintage_note: 'Census Current (2025); layer ids shift, resolve by name',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'arcgis', endpoint: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer/8',
        layer_name: '^Census Tracts$',
      },
    ],
    bulk: null,
  },
  census_tigerweb_major_roads: {
    service: 'census_tigerweb_transportation', title: 'TIGERweb transportation, primary and secondary roads', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Transportation/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Current TIGER',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 30_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'census_tiger_major_roads.gpkg', rename: { LINEARID: 'OID', FULLNAME: 'NAME' } },
      {
        driver: 'arcgis', endpoint: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Transportation/MapServer',
        layers: [2, 6],
      },
    ],
    bulk: 'TIGER2025 PRIMARYROADS (us), PRISECROADS (per state) from www2.census.gov',
    attributes: ['OID', 'NAME', 'MTFCC'],
  },
  census_tigerweb_roads: {
    service: 'census_tigerweb_transportation', title: 'TIGERweb transportation, primary, secondary and local roads',
    publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Transportation/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Current TIGER',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 30_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'census_tiger_roads.gpkg', rename: { LINEARID: 'OID', FULLNAME: 'NAME' } },
      {
        driver: 'arcgis', endpoint: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Transportation/MapServer',
        layers: [2, 6, 8],
      },
    ],
    bulk: 'TIGER2025 ROADS (per county) from www2.census.gov',
    attributes: ['OID', 'NAME', 'MTFCC'],
  },
  census_acs5: {
    service: 'census_acs5', title: 'American Community Survey, 5-year estimates', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/data/developers/data-sets/acs-5year.html',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr'], note: 'states, DC and Puerto Rico; regions from general knowledge, not in the source notes',
    },
    vintage: '2024', vintage_note: '2024 edition; the year is pinned, and the bulk table is of 2023',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 8_000,
    needs_key: { env: 'CENSUS_API_KEY', required: true, note: 'network only; the bulk tables need none' },
    serve: [
      { driver: 'pack', file: 'census_acs5.gpkg' },
      {
        driver: 'rest', endpoint: 'https://api.census.gov/data/2024/acs/acs5?get=NAME,{variables}&for={for}&in={in}&key={key}',
        expects: '$.length', absent: { statuses: [204] },
        note: 'for and in follow from the geography of the read; at most 50 variables a call; no key gives HTTP 200 with an HTML page',
      },
    ],
    bulk: 'https://www2.census.gov/programs-surveys/acs/summary_file/2023/table-based-SF/data/5YRData/acsdt5y2023-b25003.dat',
    attributes: [
      'B01002_001E', 'B01003_001E', 'B15003_001E', 'B15003_022E', 'B15003_023E', 'B15003_024E', 'B15003_025E', 'B17001_001E', 'B17001_002E',
      'B19013_001E', 'B23025_003E', 'B23025_005E', 'B25001_001E', 'B25002_001E', 'B25002_003E', 'B25003_001E', 'B25003_002E', 'B25035_001E',
      'B25064_001E', 'B25077_001E',
    ],
    sentinels: [-999999999, -888888888, -666666666, -555555555, -333333333, -222222222],
  },
  census_pep_county: {
    service: 'census_pep_county', title: 'Population estimates, counties', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/data/tables/time-series/demo/popest/2020s-counties-total.html',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'no island areas; Puerto Rico is a separate file' },
    vintage: '2025', vintage_note: 'Yearly in March; each release revises all years',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'census_pep_county.gpkg' },
      {
        driver: 'table', asset: 'https://www2.census.gov/programs-surveys/popest/datasets/2020-2025/counties/totals/co-est2025-alldata.csv',
        encoding: 'windows-1252', key_columns: ['STATE', 'COUNTY'],
      },
    ],
    bulk: 'https://www2.census.gov/programs-surveys/popest/datasets/2020-2025/counties/totals/co-est2025-alldata.csv',
    key_field: 'county_fips',
  },
  census_bps_county: {
    service: 'census_bps_county', title: 'Building permits survey, counties', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/construction/bps/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'territories not stated' },
    vintage_note: 'Annual file about May',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'census_bps_county.gpkg', note: 'with imputation; the units of the year before in columns that end in _prior',
      },
      {
        driver: 'table', asset: 'https://www2.census.gov/econ/bps/County/co{year}a.txt', header_lines: 2,
        columns: [
          'survey_date', 'state', 'county', 'region', 'division', 'name', 'buildings_1', 'units_1', 'value_1', 'buildings_2', 'units_2',
          'value_2', 'buildings_3_4', 'units_3_4', 'value_3_4', 'buildings_5p', 'units_5p', 'value_5p',
        ],
        key_columns: ['state', 'county'], editions: 2,
      },
    ],
    bulk: 'https://www2.census.gov/econ/bps/County/co{year}a.txt',
    key_field: 'county_fips',
  },
  census_saipe_county: {
    service: 'census_saipe_county', title: 'Small Area Income and Poverty Estimates, counties', publisher: 'US Census Bureau',
    licence: 'US government work, public domain',
    source_url: 'https://www.census.gov/programs-surveys/saipe.html',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'no Puerto Rico' },
    vintage: '2024', vintage_note: 'Yearly in December',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 8_000, needs_key: { env: 'CENSUS_API_KEY', required: true, note: 'network only' },
    serve: [
      { driver: 'pack', file: 'census_saipe_county.gpkg' },
      {
        driver: 'rest',
        endpoint: 'https://api.census.gov/data/timeseries/poverty/saipe?get=NAME,SAEMHI_PT&for=county:{ccc}&in=state:{ss}&YEAR=2024&key={key}',
        expects: '$.length', absent: { statuses: [204] },
      },
    ],
    bulk: 'https://www2.census.gov/programs-surveys/saipe/datasets/2024/2024-state-and-county/est24all.xls',
    key_field: 'county_fips',
  },
}
