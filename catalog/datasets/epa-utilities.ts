import type { Dataset } from '../../src/catalog/records.ts'
import { featureLayers } from '../families-datasets.ts'

const services = 'https://services.arcgis.com/cJ9YHowT8TU7DUyn/ArcGIS/rest/services'
const sewersheds = `${services}/National_Sewershed_Web_Map_Internal_WFL1/FeatureServer`
const mapNote = 'the name of the service says internal, so it can be renamed'

/** Sewers, wastewater and the emissions of electricity. */
export const epaUtilities: Record<string, Dataset> = featureLayers(
  { publisher: 'EPA', regions: ['conus', 'ak', 'hi'] },
  {
    epa_sewersheds: {
      title: 'Sewersheds: areas that drain to a publicly owned wastewater treatment plant',
      source_url: 'https://www.epa.gov/cwns/sewersheds',
      endpoint: `${sewersheds}/8`,
      arcgis: { max_allowable_offset_degrees: 0.00005, note: mapNote },
      vintage: 'v1.1 (2026-01)',
      confidence: { level: 'medium', reason: 'Four areas of five are modeled.' },
      vintage_note: 'Version 1.1 of January 2026, on the survey of 2022',
      coverage_note: '17,084 areas with some 78 % of the people; private systems are not mapped',
      attributes: ['CWNS_ID', 'FACILITY_NAME', 'Method'],
    },
    epa_cwns_plants: {
      title: 'Wastewater treatment plants of the Clean Watersheds Needs Survey 2022',
      source_url: 'https://www.epa.gov/cwns/clean-watersheds-needs-survey-cwns-2022-report-and-data',
      endpoint: `${sewersheds}/0`,
      arcgis: { note: mapNote },
      vintage: '2022-01',
      confidence: { level: 'medium', reason: 'A survey of 2022.' },
      vintage_note: 'Survey of 2022, published in April 2024',
      coverage_note: 'publicly owned plants; the layer also has the points where other systems deliver their water',
      attributes: ['CWNS_ID', 'FACILITY_NAME', 'POPULATION_TYPE', 'TOTAL_RES_POPULATION_2022'],
    },
    epa_egrid_subregions: {
      title: 'eGRID2023 subregions',
      source_url: 'https://www.epa.gov/egrid/egrid-mapping-files',
      regions: ['conus', 'ak', 'hi', 'pr'],
      endpoint: `${services}/eGRID2023_Subregions/FeatureServer/0`,
      vintage: '2023',
      confidence: { level: 'medium', reason: 'Averages of a subregion in 2023.' },
      vintage_note: 'eGRID2023, revision 2 of June 2025',
      bulk: 'https://www.epa.gov/system/files/other-files/2025-01/egrid2023_subregions.zip',
      recipe: {
        files: ['https://www.epa.gov/system/files/other-files/2025-01/egrid2023_subregions.zip'],
        complete: true,
      },
      attributes: ['Subregion'],
    },
  },
)
