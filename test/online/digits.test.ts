import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields } from './fetch-fields.ts'

let service: OnlineService
beforeAll(() => {
  service = openOnlineService()
})
afterAll(() => service.close())

const { boulder } = testPlaces
const fields = [
  'elevation',
  'slope_degrees',
  'aspect_degrees',
  'mean_annual_dry_bulb_temperature_degc',
  'nearest_hospital_distance_m',
]

function decimalsIn(value: unknown): number {
  return String(value).split('.')[1]?.length ?? 0
}

test('no float has more decimals than its source', async () => {
  const answers = await fetchOnlineFields(service, boulder, fields)
  for (const name of fields) {
    const { decimals } = service.app.catalog.fields.get(name)!
    expect(answers[name]!.status, name).toBe('ok')
    expect(decimalsIn(answers[name]!.value), name).toBeLessThanOrEqual(decimals!)
  }
})

test('a float is the same in JSON, in CSV and in a lookup', async () => {
  const answers = await fetchOnlineFields(service, boulder, fields)
  const body = { kind: 'fetch_batch', request: { locations: [boulder], fields } }
  const run = await service.post('/v1/runs', body, { prefer: 'wait=20' })
  const { run_id } = (await run.json()) as { run_id: string }
  const [header, row] = (await (await service.send(`/v1/runs/${run_id}/artifacts/csv`)).text()).split('\r\n')
  const cells = new Map(header!.split(',').map((name, i) => [name, row!.split(',')[i]]))
  const input = `${boulder.lat}, ${boulder.lng}`
  const lookup = (await (await service.post('/v1/lookup', { input })).json()) as { elevation_m: number }
  expect(fields.map((name) => cells.get(name))).toEqual(fields.map((name) => String(answers[name]!.value)))
  expect(lookup.elevation_m).toBe(answers.elevation!.value as number)
})
