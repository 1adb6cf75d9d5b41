import type { Dataset } from '../../src/catalog/records.ts'

export const nifc: Record<string, Dataset> = {
  nifc_fire_history: {
    service: 'nifc_fire_history',
    title: 'Interagency fire perimeter history',
    publisher: 'NIFC',
    license: 'US government work, public domain',
    source_url: 'https://data-nifc.opendata.arcgis.com/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage_note: 'Ends with the 2024 season (reported on 2026-07-06); FIRE_YEAR_INT has 9999 for an unknown year',
    ttl_seconds: 604_800,
    shape: 'features',
    budget_ms: 12_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'nifc_fire_history.gpkg' },
      {
        driver: 'arcgis',
        endpoint:
          'https://services3.arcgis.com/T4QMspbfLg3qTGWY/arcgis/rest/services/InterAgencyFirePerimeterHistory_All_Years_View/FeatureServer/0',
        max_allowable_offset_degrees: 0.0001,
      },
    ],
    bulk: null,
    attribute_limits: { FIRE_YEAR_INT: { range: [1700, 2100], or: [0, 9999] } },
    attributes: ['INCIDENT', 'FIRE_YEAR_INT'],
  },
  nifc_wfigs_current: {
    service: 'nifc_wfigs_current',
    title: 'WFIGS current interagency fire perimeters',
    publisher: 'NIFC',
    license: 'US government work, public domain',
    source_url: 'https://data-nifc.opendata.arcgis.com/',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; coverage of the territories not stated' },
    vintage_note: 'Every 5 minutes',
    ttl_seconds: 900,
    shape: 'features',
    budget_ms: 12_000,
    needs_key: null,
    serve: [
      {
        driver: 'arcgis',
        endpoint:
          'https://services3.arcgis.com/T4QMspbfLg3qTGWY/arcgis/rest/services/WFIGS_Interagency_Perimeters_Current/FeatureServer/0',
        max_allowable_offset_degrees: 0.0001,
      },
    ],
    bulk: null,
    note: 'live only',
  },
}
