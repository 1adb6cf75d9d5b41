import { afterAll, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const coordinate = { ...denver, address: null }

/** Valid bodies in which every optional member that is not needed is null, as some client libraries send it. */
const bodies: [path: string, body: unknown, status: number][] = [
  ['/v1/fetch', { ...coordinate, fields: ['geohash'], preset: null }, 200],
  ['/v1/fetch', { ...coordinate, fields: null, preset: 'place_context' }, 200],
  ['/v1/fetch/batch', { locations: [coordinate], fields: ['geohash'], preset: null }, 200],
  ['/v1/ask', { ...coordinate, question: 'Which county is this?', include_trace: null }, 200],
  ['/v1/lookup', { input: '39.7392, -104.9903', include_parcel: null }, 200],
  [
    '/v1/runs',
    { kind: 'fetch_batch', request: { locations: [coordinate], fields: ['geohash'], preset: null, inputs: null } },
    202,
  ],
  [
    '/v1/runs',
    { kind: 'lookup_batch', request: { inputs: ['39.7, -104.9'], locations: null, fields: null, preset: null } },
    202,
  ],
  ['/v1/users/me/tokens', { name: 'a test', scopes: ['fetch'], expires_in_days: null }, 201],
  ['/v1/users', { name: 'ada', scopes: null }, 201],
]

test.each(bodies)('POST %s takes optional members that are null as not given: %j', async (path, body, status) => {
  const response = await service.post(path, body)
  expect([response.status, await response.text()]).toEqual([status, expect.any(String)])
})

test('a token with expires_in_days: null expires by default, and not never', async () => {
  const body = { name: 'a test', scopes: ['fetch'], expires_in_days: null }
  const { expires_at } = (await (await service.post('/v1/users/me/tokens', body)).json()) as { expires_at: string }
  expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(90)
})

test('no selection at all is an error, also when it is null', async () => {
  const response = await service.post('/v1/fetch', { ...denver, fields: null, preset: null })
  expect([response.status, await response.json()]).toMatchObject([400, { detail: { error: 'no_fields_requested' } }])
})

test('a client registers with metadata that is null', async () => {
  const response = await service.testService.send('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: '' },
    body: JSON.stringify({
      redirect_uris: ['https://client.example/back'],
      client_name: null,
      grant_types: null,
      response_types: null,
      token_endpoint_auth_method: null,
    }),
  })
  expect([response.status, await response.json()]).toMatchObject([201, { client_name: 'Unnamed client' }])
})

test('an agent tool takes optional members that are null as not given', async () => {
  const response = await service.testService.post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fetch_fields', arguments: { ...coordinate, fields: ['geohash'], preset: null } },
    },
    { accept: 'application/json, text/event-stream' },
  )
  const text = await response.text()
  expect([response.status, text.includes('\\"geohash\\"'), text.includes('"isError":true')]).toEqual([200, true, false])
})
