import type { Dataset } from '../../src/catalog/records.ts'

export const blm: Record<string, Dataset> = {
  blm_sma: {
    service: 'blm_sma',
    title: 'Surface management agency, limited scale',
    publisher: 'Bureau of Land Management',
    license: 'US government work, public domain',
    source_url: 'https://gis.blm.gov/arcgis/rest/services/lands/BLM_Natl_SMA_LimitedScale/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi'],
      note: 'the list of regions is general knowledge, not taken from the source',
    },
    vintage_note: 'Irregular updates',
    confidence: { level: 'medium', reason: 'Generalized outlines.' },
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 12_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'blm_sma.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://gis.blm.gov/arcgis/rest/services/lands/BLM_Natl_SMA_LimitedScale/MapServer/1',
        max_allowable_offset_degrees: 0.0001,
        note: 'a condition on ADMIN_ST over a whole state was reported to answer 500; queries at a point work',
      },
    ],
    bulk: null,
    attribute_limits: { ADMIN_DEPT_CODE: { matches: '^[A-Z]+$' }, ADMIN_AGENCY_CODE: { matches: '^[A-Z]+$' } },
    attributes: ['ADMIN_DEPT_CODE', 'ADMIN_AGENCY_CODE', 'ADMIN_UNIT_NAME'],
  },
  blm_western_solar_plan: {
    service: 'blm_western_solar_plan',
    title: 'Western Solar Plan 2024: status of BLM land for solar applications',
    publisher: 'Bureau of Land Management',
    license: 'US government work, public domain',
    source_url: 'https://catalog.data.gov/dataset/blm-national-final-solar-peis',
    coverage: { regions: ['conus'], note: '11 western states' },
    vintage: '2024',
    vintage_note: 'Record of decision of December 2024',
    ttl_seconds: 31_536_000,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [
      {
        driver: 'pack',
        file: 'blm_western_solar_plan.gpkg',
        layer: 'status',
        note: 'polygons with a column status: available, avoidance, excluded, other, drecp_cdca or western_washington',
      },
    ],
    bulk: null,
    note: 'pack only: no official service of the final plan was found in public material',
  },
}
