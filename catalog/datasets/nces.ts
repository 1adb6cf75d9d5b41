import type { Dataset } from '../../src/catalog/records.ts'

export const nces: Record<string, Dataset> = {
  nces_public_schools: {
    service: 'nces_public_schools',
    title: 'Public school locations 2024-25',
    publisher: 'NCES',
    license: 'US government work, public domain',
    source_url: 'https://nces.ed.gov/programs/edge/Geographic/SchoolLocations',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2024-25',
    vintage_note: 'School year is part of the service name',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'nces_public_schools.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://nces.ed.gov/opengis/rest/services/K12_School_Locations/EDGE_GEOCODE_PUBLICSCH_2425/MapServer/0',
        note: 'rejects a point with a distance; query by envelope only. It often answers 500',
      },
      {
        driver: 'arcgis',
        endpoint: 'https://nces.ed.gov/arcgis/rest/services/Locale/LocaleViewer/MapServer/2',
        layer_name: '^public ?schools',
        note: 'the same schools on another server of NCES, seen in public code of 2026 as layer 2, PublicSchools24_25',
      },
    ],
    bulk: null,
  },
  nces_schools: {
    service: 'nces_schools',
    title: 'Public school locations 2024-25 and private school locations 2023-24',
    publisher: 'NCES',
    license: 'US government work, public domain',
    source_url: 'https://nces.ed.gov/programs/edge/Geographic/SchoolLocations',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'private schools that did not answer the survey are missing; the list of regions is general knowledge, not taken from the source',
    },
    vintage: '2024-25',
    vintage_note: 'The school years are part of the service names; the survey of private schools is every two years',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'nces_schools.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://nces.ed.gov/opengis/rest/services/K12_School_Locations',
        layers: ['EDGE_GEOCODE_PUBLICSCH_2425/MapServer/0', 'EDGE_GEOCODE_PRIVATESCH_2324/MapServer/0'],
        note: 'rejects a point with a distance; query by envelope only',
      },
    ],
    bulk: null,
    attributes: ['NAME'],
  },
}
