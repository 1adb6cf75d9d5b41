import type { Dataset } from '../../src/catalog/records.ts'

export const faa: Record<string, Dataset> = {
  faa_nasr: {
    service: 'faa_nasr',
    title: 'Landing facilities of the National Airspace System Resources',
    publisher: 'FAA',
    license: 'US government work, public domain',
    source_url: 'https://www.faa.gov/air_traffic/flight_info/aeronavNASR_Subscription/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: null },
    vintage_note: 'FAA 28-day cycle',
    ttl_seconds: 2_419_200,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [{ driver: 'embedded', layer: 'airports' }],
    bulk: null,
  },
  bts_aviation_facilities: {
    service: 'bts_aviation_facilities',
    title: 'Aviation facilities',
    publisher: 'FAA through BTS (NTAD)',
    license: 'US government work, public domain',
    source_url: 'https://geodata.bts.gov/datasets/usdot::aviation-facilities/about',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'FAA 28-day cycle',
    ttl_seconds: 2_419_200,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'bts_aviation_facilities.gpkg' },
      {
        driver: 'embedded',
        layer: 'airports',
        note: 'the edition of the FAA data that the service is built from, with the same attribute names',
      },
      {
        driver: 'arcgis',
        endpoint:
          'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services/NTAD_Aviation_Facilities/FeatureServer/0',
      },
    ],
    bulk: null,
  },
  faa_special_use_airspace: {
    service: 'faa_special_use_airspace',
    title: 'Special use airspace',
    publisher: 'FAA',
    license: 'US government work, public domain',
    source_url: 'https://www.faa.gov/air_traffic/flight_info/aeronav',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'FAA 28-day cycle',
    ttl_seconds: 2_419_200,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'faa_special_use_airspace.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services6.arcgis.com/ssFJjBXIUyZDrSYZ/arcgis/rest/services/Special_Use_Airspace/FeatureServer/0',
      },
    ],
    bulk: null,
    attributes: ['NAME', 'TYPE_CODE'],
  },
}
