import { describe, expect, test } from 'bun:test'
import { statisticOf } from '../../src/drivers/rest/hourly-statistics.ts'
import { driverErrorCode, evaluateField, startPublisher } from './publisher.ts'

const key = { key: 'a key', email: 'someone@example.com' }
const csv = (lines: string[]) => new Response(lines.join('\n'), { headers: { 'content-type': 'text/csv' } })
const head = [
  'SiteID,7,Latitude,40',
  'Year,Month,Day,Hour,Minute,wind speed at 100m (m/s),wind direction at 100m (deg)',
]
const hours = (count: number, row = (hour: number) => `${hour % 10},${hour % 2 === 0 ? 350 : 95}`) =>
  Array.from({ length: count }, (_, hour) => `2013,1,1,0,30,${row(hour)}`)

test('the hours of all years are requested with the key and the email, and answered as statistics', async () => {
  using world = startPublisher(() => csv([...head, ...hours(8760)]))
  const source = world.open('nlr_wtk_hours', 'hourly_csv', key)!
  expect(await source({})).toEqual({ statistics: { weibull_k: expect.closeTo(1.6284, 3), prevailing_sector: 4 } })
  expect(world.requests.map(({ query }) => query.names!).toSorted()).toEqual(['2012', '2013', '2014'])
  expect(world.requests[0]!.query).toMatchObject({
    api_key: 'a key',
    email: 'someone@example.com',
    wkt: 'POINT(-105.2705456 40.0150123)',
  })
})

test('without an email it does not open', () => {
  using world = startPublisher(() => null)
  expect(world.open('nlr_wtk_hours', 'hourly_csv', { key: 'a key' })).toBeNull()
})

test.each<[what: string, answer: () => Response, code: string]>([
  ['a year that is cut short', () => csv([...head, ...hours(8000)]), 'bad_response'],
  ['a page', () => csv(['<html>']), 'bad_response'],
  ['another column', () => csv([head[0]!, head[1]!.replace('100m', '80m'), ...hours(8760)]), 'schema_changed'],
  [
    'an hour without a number',
    () => csv([...head, ...hours(8760, (hour) => (hour === 99 ? ',5' : '4,5'))]),
    'bad_value',
  ],
  ['a refused request', () => Response.json({ errors: ['No data available'] }, { status: 400 }), 'upstream_rejected'],
])('%s is no value', async (_, answer, code) => {
  using world = startPublisher(answer)
  const source = world.open('nlr_wtk_hours', 'hourly_csv', key)
  expect(await driverErrorCode(evaluateField('weibull_k_100m', 'nlr_wtk_hours', source))).toBe(code)
})

describe('of the hours 0, 1, 2 … 100', () => {
  const columns: Record<string, number[]> = { level: Array.from({ length: 101 }, (_, level) => level) }
  test.each([
    ['mean', undefined, 50],
    ['percentile', 99.6, 99.6],
    ['hours_at_most', 9, (10 / 101) * 8760],
  ] as const)('the %s of %p is %p', (take, limit, expected) => {
    const statistic = { take, of: 'level', ...(limit !== undefined && { limit }) }
    expect(statisticOf(statistic, (title) => columns[title]!)).toBeCloseTo(expected, 6)
  })
})

// From the psychrometric chart at sea level: 30 degrees with a dew point of 20 have a wet bulb of 22.8.
test.each([
  [30, 20, 1013.25, 22.8],
  [20, 20, 1013.25, 20],
  [35, 5, 1013.25, 17.6],
])('%p C with a dew point of %p C at %p hPa has a wet bulb of %p C', (temperature, dewPoint, pressure, expected) => {
  const columns: Record<string, number[]> = { t: [temperature], d: [dewPoint], p: [pressure] }
  const wet_bulb = { temperature_degc: 't', dew_point_degc: 'd', pressure_hpa: 'p' }
  const value = statisticOf({ take: 'mean', of: 'wet_bulb', wet_bulb }, (title) => columns[title]!)
  expect(Math.abs(value - expected)).toBeLessThan(0.25)
})
