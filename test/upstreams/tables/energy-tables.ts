import { jsonAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { isGetOf } from '../documents/match-request.ts'
import { countiesOfStates, fipsOf, type County } from './counties.ts'
import { xlsxOf, type SheetCell } from './xlsx.ts'

/** Table 5.6.A of the Electric Power Monthly: headings in two rows, states between census divisions, "--" or "NM". */
export const electricityPrices: SimulatedService = {
  host: 'www.eia.gov',
  answer: ({ method, path }) =>
    method === 'GET' && path === '/electricity/monthly/xls/table_5_06_a.xlsx'
      ? workbook([['Table 5.6.A', priceRows()]])
      : null,
}

/** The API of the EIA: natural gas prices by state, month and process. The newest month is withheld. */
export const gasPrices: SimulatedService = {
  host: 'api.eia.gov',
  answer(request) {
    if (!isGetOf(request, '/v2/natural-gas/pri/sum/data/', { frequency: 'monthly', 'data[0]': 'value' })) return null
    const { query } = request
    if (!query.get('api_key'))
      return jsonAnswer({ error: { code: 'API_KEY_MISSING', message: 'No api_key was supplied.' } }, 403)
    const area = query.get('facets[duoarea][]')
    const data =
      area === 'SCO' || area === 'SNY'
        ? ['2026-09', '2026-08', '2026-07'].flatMap((period, nth) =>
            query.getAll('facets[process][]').map((process) => ({
              period,
              duoarea: area,
              process,
              series: `N30${process === 'PIN' ? 35 : 50}${area.slice(1)}3`,
              value: nth === 0 ? null : String(process === 'PIN' ? 5.78 + nth : 5.7 + nth),
              units: '$/MCF',
            })),
          )
        : []
    return jsonAnswer({ response: { total: String(data.length), frequency: 'monthly', data } })
  },
}

/** The workbook of the interconnection queues: a link above the headings, codes as numbers without a leading zero. */
export const queuedUp: SimulatedService = {
  host: 'eta-publications.lbl.gov',
  answer: ({ method, path }) =>
    method === 'GET' && path === '/sites/default/files/2026-05/lbnl_ix_queue_data_file_thru2025.xlsx'
      ? workbook([
          ['01. Contents', [['Made up']]],
          ['03. Complete Queue Data', queueRows()],
        ])
      : null,
}

/** The assessment of water availability: a table for each subwatershed, and 400 for those outside its model. */
export const waterAvailability: SimulatedService = {
  host: 'api.water.usgs.gov',
  answer(request) {
    if (!isGetOf(request, '/nwaa-data/data', { location: /huc12:\d{12}/, format: 'csv' })) return null
    const huc12 = request.query.get('location')!.slice('huc12:'.length)
    const variable = request.query.get('variable')
    const column = variable === 'sui' ? 'sui_frac' : `${variable}_mgd`
    const value = variable === 'sui' ? 0.16550669 : huc12 === '101900050504' ? 2.5 : 0
    return { type: 'text/csv', body: `huc12_id,year,${column}\n${huc12},2020,${value}\n` }
  },
}

function priceRows(): SheetCell[][] {
  const state = (name: string, industrial: SheetCell): SheetCell[] => [
    name,
    15.1,
    14.8,
    11.9,
    11.5,
    industrial,
    8.1,
    '--',
    '--',
    12.2,
    11.9,
  ]
  return [
    ['Table 5.6.A. Average Price of Electricity to Ultimate Customers by End-Use Sector,'],
    ['by State, September 2026 and 2025 (Cents per Kilowatthour), made up'],
    ['Census Division\nand State', 'Residential', null, 'Commercial', null, 'Industrial', null, 'Transportation', null],
    [null, 'September 2026', 'September 2025', 'September 2026', 'September 2025', 'September 2026', 'September 2025'],
    state('Mountain', 8.4),
    state('Virginia', 9.86),
    ...countiesOfStates.map(({ state: code, stateName }) =>
      state(stateName, code === '22' ? 'NM' : 5 + Number(code) / 10),
    ),
    ['Made-up note below the table.'],
  ]
}

function queueRows(): SheetCell[][] {
  const request = (county: County, region: string, status: string, ...mw: SheetCell[]): SheetCell[] => [
    `Q${county.county}`,
    status,
    region,
    county.code,
    county.name,
    Number(fipsOf(county)),
    ...Array.from({ length: 3 }, (_, nth) => mw[nth] ?? null),
  ]
  const regions = ['West', 'Southeast', 'MISO', 'SPP', 'NYISO', 'CAISO', 'West', 'ERCOT', 'PJM']
  return [
    ['RETURN TO CONTENTS'],
    ['q_id', 'q_status', 'region', 'state', 'county', 'fips_code', 'mw_1', 'mw_2', 'mw_3'],
    ['Q1', 'active', 'ERCOT', 'TX', 'angelina', 48_005, 1_314.44, null, null],
    ...countiesOfStates.flatMap((county, nth) => [
      request(county, regions[nth]!, 'active', 100 + nth, 50),
      request(county, regions[nth]!, 'active'),
      request(county, regions[nth]!, 'withdrawn', 900),
    ]),
    request(countiesOfStates[0]!, 'PJM', 'active', 7),
    request(countiesOfStates[0]!, 'ISO-NE', 'active', 8),
    request(countiesOfStates[0]!, 'ERCOT', 'active', 9.5),
  ]
}

function workbook(sheets: Parameters<typeof xlsxOf>[0]): ServiceAnswer {
  return { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', body: xlsxOf(sheets) }
}
