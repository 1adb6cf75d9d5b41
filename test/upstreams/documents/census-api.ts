import { jsonAnswer, textAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { facts } from './census-geographies.ts'
import { isGetOf } from './match-request.ts'

// Synthetic: the figures are ours, the rows have the shape of the Census Data API.

/**
 * The Census Data API: the American Community Survey and the income estimates of counties. Without a valid key it
 * answers 200 with a page.
 */
export const censusApi: SimulatedService = {
  host: 'api.census.gov',
  answer(received) {
    const acs = isGetOf(received, '/data/2024/acs/acs5', { get: /[A-Z\d_,]+/ })
    const saipe = isGetOf(received, '/data/timeseries/poverty/saipe', { get: /[A-Z\d_,]+/, YEAR: /\d{4}/ })
    if (!acs && !saipe) return null
    const key = received.query.get('key')
    if (!key || key === 'refused') return keyPage(key ? 'Invalid Key' : 'Missing Key')
    const area = areaOf(received.query)
    if (!area) return textAnswer('error: unknown/unsupported geography hierarchy', 'text/plain', 400)
    return acs ? survey(received, area) : income(received, area)
  },
}

/** An area; an asterisk instead of a code means all of them. */
type Area = { state: string; county: string; tract?: string; group?: string }

function survey(received: ReceivedRequest, area: Area): ServiceAnswer {
  const variables = received.query.get('get')!.split(',')
  if (variables.length > 50) return textAnswer('error: exceeded maximum of 50 variables', 'text/plain', 400)
  const unknown = variables.find((name) => name !== 'NAME' && !(name in estimates) && !(name in margins))
  if (unknown) return textAnswer(`error: error: unknown variable '${unknown}'`, 'text/plain', 400)
  const place = Object.values(facts).find((one) => one.state[0] === area.state && one.county[0] === area.county)
  if (!place || (area.tract && !['*', place.tract].includes(area.tract))) return { status: 204, body: '' }
  const figures = {
    ...estimates,
    ...margins,
    ...(area.group ? ofBlockGroup : area.tract ? (place === facts.kansas ? ofThinTract : {}) : ofCounty),
  }
  const values = variables.map((name) =>
    name === 'NAME' ? `${place.county[1]}; ${place.state[2]}` : (figures[name] ?? null),
  )
  const found = {
    ...area,
    ...(area.tract === '*' && { tract: place.tract }),
    ...(area.group === '*' && { group: place.block.slice(0, 1) }),
  }
  return rows(variables, values, found)
}

function income(received: ReceivedRequest, area: Area): ServiceAnswer {
  const variables = received.query.get('get')!.split(',')
  const place = Object.values(facts).find((one) => one.state[0] === area.state && one.county[0] === area.county)
  const figures: Record<string, string> = {
    NAME: place?.county[1] ?? '',
    SAEMHI_PT: String(60_000 + 500 * Number(area.state)),
    SAEMHI_MOE: '2417',
  }
  if (area.tract || variables.some((name) => !(name in figures)))
    return textAnswer('error: unknown variable', 'text/plain', 400)
  if (!place || area.state === '72') return { status: 204, body: '' }
  return rows([...variables, 'YEAR'], [...variables.map((name) => figures[name]!), received.query.get('YEAR')!], area)
}

function rows(names: string[], values: (string | null)[], area: Area): ServiceAnswer {
  const { group, ...rest } = area
  const places = { ...rest, ...(group ? { 'block group': group } : {}) }
  return jsonAnswer([
    [...names, ...Object.keys(places)],
    [...values, ...Object.values(places)],
  ])
}

function areaOf(query: URLSearchParams): Area | null {
  const requested = `${query.get('for')} in ${query.get('in')}`
  const county = /^county:(\d{3}) in state:(\d{2})$/.exec(requested)
  if (county) return { state: county[2]!, county: county[1]! }
  const tract = /^tract:(\d{6}|\*) in state:(\d{2}) county:(\d{3})$/.exec(requested)
  if (tract) return { state: tract[2]!, county: tract[3]!, tract: tract[1]! }
  const group = /^block group:(\d|\*) in state:(\d{2}) county:(\d{3}) tract:(\d{6}|\*)$/.exec(requested)
  return group ? { state: group[2]!, county: group[3]!, tract: group[4]!, group: group[1]! } : null
}

function keyPage(title: string): ServiceAnswer {
  return textAnswer(
    `<html>\n    <head>\n        <title>${title}</title>\n    </head><body><p>A valid <em>key</em> must be included with each data API request.</p></body></html>`,
    'text/html;charset=utf-8',
  )
}

const estimates: Record<string, string | null> = {
  B01003_001E: '4321',
  B01002_001E: '33.4',
  B19013_001E: '78125',
  B25077_001E: '812500',
  B25064_001E: '1890',
  B25035_001E: '1974',
  B25001_001E: '2210',
  B25002_001E: '2210',
  B25002_003E: '154',
  B25003_001E: '2056',
  B25003_002E: '901',
  B17001_001E: '4102',
  B17001_002E: '676',
  B23025_003E: '2750',
  B23025_005E: '99',
  B15003_001E: '2890',
  B15003_022E: '990',
  B15003_023E: '540',
  B15003_024E: '120',
  B15003_025E: '133',
}

const margins: Record<string, string | null> = {
  B01003_001M: '312',
  B01002_001M: '2.9',
  B19013_001M: '9847',
  B25077_001M: '64210',
  B25064_001M: '143',
  B25035_001M: '3',
  B25001_001M: '118',
  B25002_001M: '118',
  B25002_003M: '71',
  B25003_001M: '126',
  B25003_002M: '119',
  B17001_001M: '318',
  B17001_002M: '187',
  B23025_003M: '241',
  B23025_005M: '58',
  B15003_001M: '236',
  B15003_022M: '151',
  B15003_023M: '128',
  B15003_024M: '62',
  B15003_025M: '57',
}

/**
 * A tract with few interviews: the publisher's numbers for "no estimate" and "no margin", and an income in the open
 * interval at the top.
 */
const ofThinTract: Record<string, string | null> = {
  B19013_001E: '250001',
  B19013_001M: '-333333333',
  B01002_001M: '-222222222',
  B25064_001E: '-666666666',
  B25064_001M: '-222222222',
  B25077_001E: '-666666666',
  B25077_001M: '-222222222',
  B25035_001E: null,
  B25035_001M: null,
}

/** The population of a county is controlled, so it has no sampling error. */
const ofCounty: Record<string, string | null> = { B01003_001M: '-555555555' }

const ofBlockGroup: Record<string, string | null> = { B01003_001E: '1187', B01003_001M: '402' }
