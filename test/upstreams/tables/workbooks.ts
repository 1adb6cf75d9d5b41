import type { ServiceAnswer, SimulatedService } from '../service.ts'
import { testCounties, fipsOf, countiesOfStates } from './counties.ts'
import { xlsxOf, type SheetCell } from './xlsx.ts'

// Changes, indices and codes are synthetic; the sheets have the headings and quirks of the publishers.

/**
 * The house price index of the FHFA: five rows above the headings, codes as strings or numbers, "." or empty for no
 * value.
 */
export const fhfaWorkbook: SimulatedService = {
  host: 'www.fhfa.gov',
  answer: ({ method, path }) =>
    method === 'GET' && path === '/hpi/download/annual/hpi_at_county.xlsx'
      ? workbook(
          xlsxOf([
            ['readme', [['Made up']]],
            ['county', prices()],
          ]),
        )
      : null,
}

/** The Rural-Urban Continuum Codes of the USDA. */
export const ruccWorkbook: SimulatedService = {
  host: 'www.ers.usda.gov',
  answer: ({ method, path }) =>
    method === 'GET' && path === '/media/5767/2023-rural-urban-continuum-codes.xlsx'
      ? workbook(
          xlsxOf([
            ['Rural-urban Continuum Code 2023', codes()],
            ['Documentation', [['Made up']]],
          ]),
        )
      : null,
}

function prices(): SheetCell[][] {
  const preamble: SheetCell[][] = [
    ['Annual House Price Indexes: Counties'],
    ['Made up, in the form of the developmental index'],
    [],
    ['Not seasonally adjusted'],
    [],
  ]
  const heading = [
    'State',
    'County',
    'FIPS code',
    'Year',
    'Annual Change (%)',
    'HPI',
    'HPI with 1990 base',
    'HPI with 2000 base',
  ]
  const rows = countiesOfStates.flatMap(({ state, county, code, name }, nth) =>
    [2023, 2024, 2025].map((year): SheetCell[] => {
      const fips = nth % 2 ? Number(state + county) : state + county
      const change =
        state === '20' ? '.' : state === '02' ? '' : Math.round(100 * (1.5 + nth / 10 + (year - 2023) / 2)) / 100
      return [code, name, fips, year, change, 100 + nth, 200 + nth, state === '20' ? '.' : 150 + nth]
    }),
  )
  return [...preamble, heading, ...rows]
}

function codes(): SheetCell[][] {
  const code = (state: string) => (state === '20' ? 7 : state === '35' ? 3 : state === '06' || state === '08' ? 2 : 1)
  return [
    ['FIPS', 'State', 'County_Name', 'Population_2020', 'RUCC_2023', 'Description'],
    ...testCounties.map((one): SheetCell[] => [fipsOf(one), one.code, one.name, 100_000, code(one.state), 'Made up']),
  ]
}

function workbook(body: Uint8Array): ServiceAnswer {
  return { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', body }
}
