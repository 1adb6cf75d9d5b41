import { textAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { countiesOfStates, type County } from './counties.ts'

// Population, migration and permits are synthetic; the lines have the columns, widths and terms of the Census files.

/**
 * The file server of the Census Bureau: population estimates in windows-1252, and building permits below two lines of
 * headings.
 */
export const censusFiles: SimulatedService = {
  host: 'www2.census.gov',
  answer({ method, path }) {
    if (method !== 'GET') return null
    if (path === '/programs-surveys/popest/datasets/2020-2025/counties/totals/co-est2025-alldata.csv')
      return population()
    if (path === '/geo/docs/reference/cenpop2020/tract/CenPop2020_Mean_TR.txt') return centersOfTracts()
    const year = /^\/econ\/bps\/County\/co(\d{4})a\.txt$/.exec(path)?.[1]
    return year ? permits(Number(year)) : null
  },
}

/** The synthetic population of a county in a year. */
export function peopleOf({ state, county }: { state: string; county: string }, year: number): number {
  return 100_000 + 1_000 * Number(state) + 10 * Number(county) + 500 * (year - 2020)
}

/** The tracts of five places, and the first of Denver. */
function centersOfTracts(): ServiceAnswer {
  const tracts = ['08013012203', '12086004406', '22071013400', '20027458200', '06007001702', '08031002000']
  const lines = tracts.map((geoid, i) =>
    [geoid.slice(0, 2), geoid.slice(2, 5), geoid.slice(5), 4_000 + 100 * i, '+40.0', '-105.2'].join(','),
  )
  return textAnswer(`STATEFP,COUNTYFP,TRACTCE,POPULATION,LATITUDE,LONGITUDE\n${lines.join('\n')}\n`, 'text/plain')
}

function population(): ServiceAnswer {
  const years = [2020, 2021, 2022, 2023, 2024, 2025]
  const each = (name: string) => years.map((year) => `${name}${year}`)
  const header = [
    'SUMLEV',
    'REGION',
    'DIVISION',
    'STATE',
    'COUNTY',
    'STNAME',
    'CTYNAME',
    'ESTIMATESBASE2020',
    ...each('POPESTIMATE'),
    ...each('NPOPCHG'),
    ...each('BIRTHS'),
    ...each('INTERNATIONALMIG'),
    ...each('DOMESTICMIG'),
    ...each('NETMIG'),
  ]
  const row = (
    level: string,
    { state, county, stateName, name }: { state: string; county: string; stateName: string; name: string },
  ) => [
    level,
    4,
    8,
    state,
    county,
    stateName,
    name,
    peopleOf({ state, county }, 2020),
    ...years.map((year) => peopleOf({ state, county }, year)),
    ...years.map(() => 500),
    ...years.map(() => 1_100),
    ...years.map(() => 90),
    ...years.map((year) => 2_020 - year - Number(state)),
    ...years.map((year) => 2_110 - year - Number(state)),
  ]
  const rows = countiesOfStates.flatMap((one) => [
    row('040', { ...one, county: '000', name: one.stateName }),
    row('050', one),
  ])
  const csv = [header, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
  return { type: 'text/csv', body: Uint8Array.from(csv, (letter) => letter.codePointAt(0)!) }
}

function permits(year: number): ServiceAnswer {
  const now = new Date()
  const newest = now.getUTCFullYear() - (now.getUTCMonth() >= 5 ? 1 : 2)
  if (year < 2000 || year > newest) return textAnswer('<html><body><h1>Not Found</h1></body></html>', 'text/html', 404)
  const headings = [
    'Survey,FIPS,FIPS,Region,Division,County, ,1-unit, , ,2-units, , ,3-4 units, , ,5+ units, , ,1-unit rep, , ,2-units rep, , ,3-4 units rep, , ,5+ units rep,',
    'Date,State,County,Code,Code,Name,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value,Bldgs,Units,Value',
  ]
  return textAnswer([...headings, ...countiesOfStates.map((one) => permitsOf(one, year))].join('\n') + '\n')
}

/** The permits of a county in a year: one more single-family house each year; in Kansas only in odd years. */
function permitsOf({ state, county, name }: County, year: number): string {
  const singles = state === '20' ? (year % 2) * 7 : 890 + (year - 2024)
  const more = state === '20' ? [0, 0, 0, 0, 0, 0, 0, 0, 0] : [0, 0, 0, 2, 8, 1_200_000, 8, 240, 60_000_000]
  const imputed = [singles, singles, singles * 338_000, ...more]
  return [year, state, county, 3, 5, name.padEnd(18), ...imputed, ...imputed.map((one) => Math.floor(one * 0.9))].join(
    ',',
  )
}
