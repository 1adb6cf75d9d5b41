import type { Dataset } from '../../src/catalog/records.ts'
import { featureLayers } from '../families-datasets.ts'

/** The columns of all records of the antenna structure registration. */
const recordColumns = 'record_type content_indicator file_number registration_number unique_system_identifier'.split(
  ' ',
)
const registrationColumns = [
  ...recordColumns,
  ...'application_purpose previous_purpose input_source_code status_code date_entered date_received date_issued'.split(
    ' ',
  ),
  ...'date_constructed date_dismantled date_action archive_flag_code version signature_first_name'.split(' '),
  ...'signature_middle_initial signature_last_name signature_suffix signature_title invalid_signature'.split(' '),
  ...'structure_street_address structure_city structure_state_code county_code zip_code height_of_structure'.split(' '),
  ...'ground_elevation overall_height_above_ground overall_height_amsl structure_type'.split(' '),
]
const entityColumns = [
  ...recordColumns,
  ...'contact_type entity_type entity_type_other licensee_id entity_name'.split(' '),
]
const asrAttributes = ['overall_height_above_ground', 'structure_type', 'entity_name']

export const fcc: Record<string, Dataset> = {
  fcc_area_api: {
    service: 'fcc_area_api',
    title: 'FCC Area API, 2020 census block',
    publisher: 'FCC',
    license: 'US government work, public domain',
    source_url: 'https://geo.fcc.gov/api/census/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2020',
    vintage_note: '2020 blocks',
    ttl_seconds: 15_552_000,
    shape: 'document',
    budget_ms: 4_000,
    needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://geo.fcc.gov/api/census/area?lat={lat}&lon={lon}&censusYear=2020&format=json',
        expects: '$.results',
      },
    ],
    bulk: null,
    sentinels: ['data unavailable'],
  },
  fcc_bdc_block_groups: {
    service: 'fcc_bdc_living_atlas',
    title: 'FCC Broadband Data Collection, block groups',
    publisher: 'FCC through Esri Living Atlas',
    license: 'Esri Living Atlas terms',
    withholds_geometry: true,
    source_url: 'https://www.arcgis.com/home/item.html?id=e1343efcefc344709057260ee57290a0',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'states, DC and territories by filing; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Read the date from the item, not from the service name',
    confidence: { level: 'medium', reason: 'Reports of the providers, aggregated to block groups.' },
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      {
        driver: 'arcgis',
        endpoint:
          'https://services8.arcgis.com/peDZJliSvYims39Q/arcgis/rest/services/FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/3',
      },
    ],
    bulk: null,
    attribute_limits: { ServedBSLsFiber: { range: [0, 50_000] }, TotalBSLs: { range: [0, 50_000] } },
    no_copy: 'Its license, the Esri Living Atlas terms, is not an open one.',
    attributes: ['TotalBSLs', 'ServedBSLs', 'ServedBSLsFiber', 'UniqueProviders', 'UniqueProvidersFiber'],
  },
  fcc_bdc_h3: {
    service: 'fcc_bdc_living_atlas',
    title: 'FCC Broadband Data Collection, hexagons of H3 resolution 8',
    confidence: { level: 'medium', reason: 'Reports of the providers, aggregated to hexagons.' },
    publisher: 'FCC through Esri Living Atlas',
    license: 'Esri Living Atlas terms',
    withholds_geometry: true,
    source_url: 'https://www.arcgis.com/home/item.html?id=e1343efcefc344709057260ee57290a0',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'states, DC and territories by filing; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Read the date from the item, not from the service name',
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      {
        driver: 'arcgis',
        endpoint:
          'https://services8.arcgis.com/peDZJliSvYims39Q/arcgis/rest/services/FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/5',
      },
    ],
    bulk: null,
    attribute_limits: { UniqueProvidersFiber: { range: [0, 50] } },
    no_copy: 'Its license, the Esri Living Atlas terms, is not an open one.',
    attributes: ['TotalBSLs', 'UniqueProvidersFiber'],
  },
  ...featureLayers(
    {
      publisher: 'FCC',
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
    },
    {
      fcc_bdc_mobile_5g: {
        title: 'FCC Broadband Data Collection, modeled 5G-NR coverage in hexagons of H3 resolution 9',
        source_url: 'https://broadbandmap.fcc.gov/data-download',
        vintage_note: 'Twice a year',
        confidence: { level: 'medium', reason: 'Modeled by the carriers.' },
        bulk: 'https://broadbandmap.fcc.gov/data-download',
        note: 'pack only, from the files bdc_…_5GNR_mobile_broadband_h3_… of the states; the page hands them out to browsers only, so there is no recipe',
        attributes: ['mindown', 'minup'],
      },
    },
  ),
  fcc_asr: {
    service: 'fcc_asr',
    title: 'Antenna structure registrations',
    publisher: 'FCC',
    license: 'US government work, public domain',
    source_url: 'https://www.fcc.gov/antenna-structure-registration',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Weekly, Sunday',
    ttl_seconds: 604_800,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [{ driver: 'pack', file: 'fcc_asr.gpkg' }],
    bulk: 'https://data.fcc.gov/download/pub/uls/complete/r_tower.zip',
    recipe: {
      files: ['https://data.fcc.gov/download/pub/uls/complete/r_tower.zip'],
      complete: true,
      records: {
        member: 'CO.dat',
        begins: 'CO',
        columns: [
          ...recordColumns,
          'coordinate_type',
          'latitude_degrees',
          'latitude_minutes',
          'latitude_seconds',
          'latitude_direction',
          'latitude_total_seconds',
          'longitude_degrees',
          'longitude_minutes',
          'longitude_seconds',
          'longitude_direction',
          'longitude_total_seconds',
        ],
        lat: ['latitude_degrees', 'latitude_minutes', 'latitude_seconds', 'latitude_direction'],
        lng: ['longitude_degrees', 'longitude_minutes', 'longitude_seconds', 'longitude_direction'],
        joins: [
          {
            member: 'RA.dat',
            begins: 'RA',
            by: 'unique_system_identifier',
            take: ['status_code', 'overall_height_above_ground', 'structure_type'],
            columns: registrationColumns,
          },
          {
            member: 'EN.dat',
            begins: 'EN',
            by: 'unique_system_identifier',
            take: ['entity_name'],
            only: { contact_type: 'O' },
            columns: entityColumns,
          },
        ],
      },
      keep: ['registration_number', 'coordinate_type', 'status_code', ...asrAttributes],
      where: "coordinate_type = 'T'",
    },
    note: 'pack only',
  },
}
