import { afterAll, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const service = openTestService()
const other = startFieldstone(['serve', '--data', `${folder}/data`], { FIELDSTONE_AUTH: 'off' }, folder)
afterAll(async () => {
  other.signal('SIGKILL')
  await other.end()
  await service.close()
})

const places = [
  ['Denver', { lat: 39.7392, lng: -104.9903 }],
  ['Miami Beach', { lat: 25.7907, lng: -80.13 }],
  ['Anchorage', { lat: 61.2181, lng: -149.9003 }],
  ['Honolulu', { lat: 21.3069, lng: -157.8583 }],
  ['San Juan', { lat: 18.4655, lng: -66.1057 }],
  ['Toronto', { lat: 43.65, lng: -79.38 }],
] as const

/** An answer without its time. Numbers have eight digits, because the magnetic field changes between two requests. */
function settled(body: string): unknown {
  return JSON.parse(body, (name, value: unknown) =>
    name === 'fetched_at' ? undefined : typeof value === 'number' ? Number(value.toPrecision(8)) : value,
  )
}

test.each(places)('a separate process in its own folder gives the same answers: %s', async (_name, at) => {
  const [, address = ''] = await other.waitForOutput(/answers at (http:\S+)/)
  const body = { ...at, preset: 'place_context', fields: ['elevation', 'fema_flood_zone', 'tract_population_acs5'] }
  const answer = await fetch(`${address}/v1/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
  expect(settled(await answer.text())).toEqual(settled(await (await service.post('/v1/fetch', body)).text()))
})
