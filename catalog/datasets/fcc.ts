import type { Dataset } from '../../src/catalog/records.ts'

export const fcc: Record<string, Dataset> = {
  fcc_area_api: {
    service: 'fcc_area_api', title: 'FCC Area API, 2020 census block', publisher: 'FCC',
    licence: 'US government work, public domain',
    source_url: 'https://geo.fcc.gov/api/census/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage: '2020', vintage_note: '2020 blocks',
    ttl_seconds: 15_552_000, shape: 'document', budget_ms: 4_000, needs_key: null,
    serve: [
      { driver: 'rest', endpoint: 'https://geo.fcc.gov/api/census/area?lat={lat}&lon={lon}&censusYear=2020&format=json', expects: '$.results' },
    ],
    bulk: null,
    sentinels: ['data unavailable'],
  },
  fcc_bdc_block_groups: {
    service: 'fcc_bdc_living_atlas', title: 'FCC Broadband Data Collection, block groups', publisher: 'FCC through Esri Living Atlas',
    licence: 'Esri Living Atlas terms; an operator can switch it off',
    source_url: 'https://www.arcgis.com/home/item.html?id=e1343efcefc344709057260ee57290a0',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'states, DC and territories by filing; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Read the date from the item, not from the service name',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'arcgis',
        endpoint: 'https://services8.arcgis.com/peDZJliSvYims39Q/arcgis/rest/services/FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/3',
      },
    ],
    bulk: null,
    attributes: ['TotalBSLs', 'ServedBSLs', 'ServedBSLsFiber', 'UniqueProviders', 'UniqueProvidersFiber'],
  },
  fcc_asr: {
    service: 'fcc_asr', title: 'Antenna structure registrations', publisher: 'FCC',
    licence: 'US government work, public domain',
    source_url: 'https://www.fcc.gov/antenna-structure-registration',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Weekly, Sunday',
    ttl_seconds: 604_800, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fcc_asr.gpkg' },
    ],
    bulk: 'https://data.fcc.gov/download/pub/uls/complete/r_tower.zip',
    recipe: {
      files: ['https://data.fcc.gov/download/pub/uls/complete/r_tower.zip'],
      complete: true,
      records: {
        member: 'CO.dat', begins: 'CO',
        columns: [
          'record_type', 'content_indicator', 'file_number', 'registration_number', 'unique_system_identifier', 'coordinate_type', 'latitude_degrees', 'latitude_minutes', 'latitude_seconds',
          'latitude_direction', 'latitude_total_seconds', 'longitude_degrees', 'longitude_minutes', 'longitude_seconds', 'longitude_direction', 'longitude_total_seconds',
        ],
        lat: ['latitude_degrees', 'latitude_minutes', 'latitude_seconds', 'latitude_direction'],
        lng: ['longitude_degrees', 'longitude_minutes', 'longitude_seconds', 'longitude_direction'],
        join: {
          member: 'RA.dat', begins: 'RA', by: 'unique_system_identifier', take: ['status_code'],
          columns: ['record_type', 'content_indicator', 'file_number', 'registration_number', 'unique_system_identifier', 'application_purpose', 'previous_purpose', 'input_source_code', 'status_code'],
        },
      },
      keep: ['registration_number', 'unique_system_identifier', 'coordinate_type', 'status_code'],
      where: "coordinate_type = 'T'",
    },
    note: 'pack only',
  },
}
