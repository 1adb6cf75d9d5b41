import type { Dataset } from '../../src/catalog/records.ts'
import { featureLayers, usGovernmentWork } from '../families-datasets.ts'

const maps = 'https://www.eia.gov/maps/map_data'
const states = { regions: ['conus', 'ak', 'hi'], note: 'the 50 states and DC' } satisfies Dataset['coverage']

export const eia: Record<string, Dataset> = {
  ...featureLayers(
    { publisher: 'EIA', regions: ['conus', 'ak', 'hi'] },
    {
      eia_gas_storage: {
        title: 'Underground natural gas storage',
        source_url: 'https://atlas.eia.gov/',
        endpoint:
          'https://services2.arcgis.com/ZOdjAzAQ2B0f85zi/arcgis/rest/services/NaturalGas_UndergroundStorage_US_EIA/FeatureServer/0',
        arcgis: { note: 'a copy of the map of the EIA, whose own service needs a token' },
        vintage: '2020-12',
        vintage_note: 'Form EIA-191, December 2020',
        confidence: { level: 'medium', reason: 'An edition of 2020.' },
        bulk: `${maps}/NaturalGas_UndergroundStorage_US_EIA.zip`,
        recipe: { files: [`${maps}/NaturalGas_UndergroundStorage_US_EIA.zip`], complete: true },
      },
      eia_lng_terminals: {
        title: 'Liquefied natural gas import and export terminals',
        source_url: 'https://atlas.eia.gov/',
        endpoint:
          'https://services2.arcgis.com/wdQEqhSQSuYA89VW/arcgis/rest/services/Lng_ImportExportTerminals_US_EIA/FeatureServer/0',
        arcgis: { note: 'a copy of the map of the EIA, whose own service needs a token' },
        vintage: '2020-04',
        vintage_note: 'April 2020; terminals opened since are missing',
        confidence: { level: 'medium', reason: 'An edition of 2020.' },
        bulk: `${maps}/Lng_ImportExportTerminals_US_EIA.zip`,
        recipe: { files: [`${maps}/Lng_ImportExportTerminals_US_EIA.zip`], complete: true },
      },
      eia_shale_plays: {
        title: 'Tight oil and shale gas plays of the lower 48 states',
        source_url: 'https://www.eia.gov/maps/map_data_US.php',
        regions: ['conus'],
        endpoint:
          'https://services7.arcgis.com/FGr1D95XCGALKXqM/ArcGIS/rest/services/TightOil_ShaleGas_Plays_Lower48_EIA/FeatureServer/0',
        vintage: '2021-12',
        vintage_note: 'Edition of December 2021',
        confidence: { level: 'medium', reason: 'General areas, not limits, of an edition of 2021.' },
        bulk: `${maps}/TightOil_ShaleGas_Plays_Lower48_EIA.zip`,
        recipe: { files: [`${maps}/TightOil_ShaleGas_Plays_Lower48_EIA.zip`], complete: true },
        attribute_limits: { Area_sq_mi: { range: [1, 1_000_000] } },
        attributes: ['Shale_play', 'Area_sq_mi'],
      },
      eia_860m_planned: {
        title: 'Planned generators of the monthly electric generator inventory',
        source_url: 'https://www.eia.gov/electricity/data/eia860m/',
        vintage_note: 'Monthly',
        bulk: 'https://www.eia.gov/electricity/data/eia860m/',
        note: 'pack only, from the sheet Planned of the newest workbook, saved as CSV without the two rows above the column names. Rows are generators, several for a plant. The name of the workbook changes each month, so there is no recipe',
        attributes: ['Plant Name', 'Nameplate Capacity (MW)', 'Status'],
      },
    },
  ),
  eia_electricity_prices: {
    service: 'eia_electricity_prices',
    title: 'Average price of electricity to customers by state, Electric Power Monthly table 5.6.A',
    publisher: 'EIA',
    license: usGovernmentWork,
    source_url: 'https://www.eia.gov/electricity/monthly/',
    coverage: states,
    vintage_note: 'Monthly, some two months late',
    confidence: { level: 'medium', reason: 'An average of the state.' },
    ttl_seconds: 604_800,
    shape: 'document',
    budget_ms: 10_000,
    needs_key: null,
    serve: [
      {
        driver: 'table',
        asset: 'https://www.eia.gov/electricity/monthly/xls/table_5_06_a.xlsx',
        columns: [
          'state',
          'residential',
          'residential_a_year_before',
          'commercial',
          'commercial_a_year_before',
          'industrial',
          'industrial_a_year_before',
          'transportation',
          'transportation_a_year_before',
          'all_sectors',
          'all_sectors_a_year_before',
        ],
        has_notes: true,
        key_columns: ['state'],
        key_of_names: true,
        known_key: 'Virginia',
        note: 'cents per kilowatt-hour; the sectors in pairs of this month and the same month a year before',
      },
    ],
    bulk: 'https://www.eia.gov/electricity/monthly/xls/table_5_06_a.xlsx',
    sentinels: ['--', 'NM', 'W', 'Q', 'NA'],
  },
  eia_natural_gas_prices: {
    service: 'eia_natural_gas_prices',
    title: 'Natural gas prices by state, monthly',
    publisher: 'EIA',
    license: usGovernmentWork,
    source_url: 'https://www.eia.gov/dnav/ng/ng_pri_sum_dcu_nus_m.htm',
    coverage: states,
    vintage_note: 'Monthly, some two months late',
    confidence: { level: 'medium', reason: 'An average of the state.' },
    dated_by: { from: '$.response.data[*]', text: '{period}' },
    ttl_seconds: 604_800,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: { env: 'EIA_API_KEY', required: true },
    serve: [
      {
        driver: 'rest',
        endpoint:
          'https://api.eia.gov/v2/natural-gas/pri/sum/data/?api_key={key}&frequency=monthly&data[0]=value&facets[duoarea][]=S{state}&facets[process][]=PG1&facets[process][]=PIN&sort[0][column]=period&sort[0][direction]=desc&length=48',
        expects: '$.response.data',
        faults: [{ status: 403, json_path: '$.error.code', matches: '^API_KEY_', code: 'entitlement_missing' }],
        note: 'two prices of the last 24 months; a price that is withheld is null',
      },
    ],
    bulk: null,
  },
}
