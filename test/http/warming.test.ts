import { afterAll, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const server = await openHttpService()
afterAll(server.close)

const fields = ['county', 'state', 'timezone', 'nearest_place_name', 'nearest_airport_name', 'coast_distance_m']

test('while the service warms up, /healthz answers at once, and a fetch returns the same response as afterwards', async () => {
  const order: string[] = []
  const warming = server.testService.app.embedded.warm().then(() => order.push('warm'))
  const early = server.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields })
  for (let i = 0; i < 3; i++) {
    expect((await server.ask('/healthz')).status).toBe(200)
    order.push('healthz')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await warming
  expect(order).toEqual(['healthz', 'healthz', 'healthz', 'warm'])
  const late = await server.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields })
  expect(fieldsOf(await (await early).json())).toEqual(fieldsOf(await late.json()))
})

function fieldsOf(answer: unknown) {
  const answered = (answer as { fields: Record<string, { value: unknown; status: string }> }).fields
  expect(Object.keys(answered)).toEqual(fields)
  expect(Object.values(answered).map(({ status }) => status)).toEqual(fields.map(() => 'ok'))
  return answered
}
