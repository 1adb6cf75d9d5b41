import type { Dataset } from '../../src/catalog/records.ts'

const calFire = 'https://services1.arcgis.com/jUJYIo9tSA7EHvfZ/arcgis/rest/services'

const ofCalFire = {
  service: 'calfire_fhsz',
  publisher: 'CAL FIRE, Office of the State Fire Marshal',
  license: 'State government work, public',
  source_url:
    'https://osfm.fire.ca.gov/what-we-do/community-wildfire-preparedness-and-mitigation/fire-hazard-severity-zones',
  coverage: { regions: ['conus'], note: 'California only; federal land is mostly not mapped' },
  ttl_seconds: 7_776_000,
  shape: 'features',
  budget_ms: 8_000,
  needs_key: null,
  bulk: null,
  attributes: ['SRA', 'FHSZ'],
} satisfies Partial<Dataset>

export const california: Record<string, Dataset> = {
  carb_air_districts: {
    service: 'carb_air_districts',
    title: 'Air districts of California',
    publisher: 'California Air Resources Board, served by EPA Region 9',
    license: 'State government work, public',
    source_url: 'https://ww2.arb.ca.gov/california-air-districts',
    coverage: { regions: ['conus'], note: 'California only' },
    vintage: '2004-03',
    vintage_note: 'Boundaries of March 2004',
    ttl_seconds: 5_184_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'carb_air_districts.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/cJ9YHowT8TU7DUyn/arcgis/rest/services/R9_Air_Districts/FeatureServer/0',
      },
    ],
    bulk: null,
    attributes: ['NAME'],
  },
  calfire_fhsz_sra: {
    ...ofCalFire,
    title: 'Fire hazard severity zones, state responsibility area',
    vintage: '2023-09-29',
    vintage_note: 'Map of 2023-09-29, in force since 2024-04-01',
    serve: [
      { driver: 'pack', file: 'calfire_fhsz.gpkg', layer: 'sra' },
      { driver: 'arcgis', endpoint: `${calFire}/FHSZSRA_23_3/FeatureServer/0` },
    ],
  },
  calfire_fhsz_lra: {
    ...ofCalFire,
    title: 'Fire hazard severity zones, local responsibility area',
    vintage: '2025-03-24',
    vintage_note: 'Map of 2025-03-24, all four phases, as recommended to the cities and counties',
    serve: [
      { driver: 'pack', file: 'calfire_fhsz.gpkg', layer: 'lra' },
      { driver: 'arcgis', endpoint: `${calFire}/FHSALRA25_v1_All/FeatureServer/0` },
    ],
  },
}
