import { afterAll, describe, expect, test } from 'bun:test'
import type { CatalogDocument } from '../../src/catalog/catalog-document.ts'
import { openHttpService } from '../support/http-service.ts'
import { withoutTimes } from '../support/without-times.ts'

const service = await openHttpService()
afterAll(service.close)

const at = 'lat=39.7392&lng=-104.9903'
const violationsOf = async (response: Response) => {
  expect(response.status).toBe(422)
  return ((await response.json()) as { detail: { type: string; loc: unknown; msg: string }[] }).detail
}

describe('an unknown query parameter', () => {
  test.each(['/v1/runs?limt=3', '/v1/meta/fields?query=flood', `/v1/fetch?${at}&fields=county&token=fst_pat_x`])(
    'of a GET is ignored: %s',
    async (path) => expect((await service.ask(path)).status).toBe(200),
  )

  test('of a POST is rejected, but after its media type', async () => {
    const body = { lat: 39.7392, lng: -104.9903, fields: ['county'] }
    expect(await violationsOf(await service.post('/v1/fetch?preset=terrain', body))).toMatchObject([
      { loc: ['query', 'preset'] },
    ])
    const headers = { 'content-type': 'text/plain' }
    const plain = await service.ask('/v1/fetch?preset=terrain', { method: 'POST', headers, body: '{}' })
    expect(plain.status).toBe(415)
  })
})

describe('GET /v1/fetch', () => {
  test('gives the answer of POST /v1/fetch', async () => {
    const answer = (await (await service.ask(`/v1/fetch?${at}&fields=county,timezone`)).json()) as object
    const posted = await service.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county', 'timezone'] })
    expect(withoutTimes(answer)).toEqual(withoutTimes((await posted.json()) as object))
  })

  test('checks its coordinate, its fields and its token in the same way', async () => {
    expect(await violationsOf(await service.ask('/v1/fetch?lat=x&fields=county'))).toMatchObject([
      { type: 'float_parsing', loc: ['query', 'lat'] },
      { type: 'missing', loc: ['query', 'lng'] },
    ])
    const statuses = [at, `${at}&fields=slope`, 'lat=0&lng=0&fields=county', `${at}&preset=x`].map(async (query) => {
      const { status, json } = await service
        .ask(`/v1/fetch?${query}`)
        .then(async (it) => ({ status: it.status, json: (await it.json()) as { detail: { error: string } } }))
      return [status, json.detail.error]
    })
    expect(await Promise.all(statuses)).toEqual([
      [400, 'no_fields_requested'],
      [400, 'fields_unknown'],
      [400, 'coord_out_of_bounds'],
      [400, 'preset_unknown'],
    ])
    expect((await service.ask(`/v1/fetch?${at}&fields=county`, { headers: { authorization: '' } })).status).toBe(401)
  })

  test('with HEAD, checks the request and fetches nothing', async () => {
    const fieldsUsed = async () => {
      const { items } = (await (await service.ask('/v1/users/me/usage')).json()) as {
        items: { endpoint: string; fields: number }[]
      }
      return items.find(({ endpoint }) => endpoint === '/v1/fetch')!.fields
    }
    const before = await fieldsUsed()
    const head = (query: string) => service.ask(`/v1/fetch?${query}`, { method: 'HEAD' })
    const { status, headers } = await head(`${at}&fields=county`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-length')).toBeNull()
    expect((await head(`${at}&fields=slope`)).status).toBe(400)
    expect((await head('lat=x&lng=1&fields=county')).status).toBe(422)
    expect((await head('lat=0&lng=0&fields=county')).status).toBe(400)
    expect(await fieldsUsed()).toBe(before)
  })
})

describe('GET /v1/meta/fields?layer=', () => {
  test('has the fields of the layer, in the order of the catalog', async () => {
    const all = (await (await service.ask('/v1/meta/fields')).json()) as CatalogDocument
    const terrain = (await (await service.ask('/v1/meta/fields?layer=terrain')).json()) as CatalogDocument
    expect(terrain.fields).toEqual(all.fields.filter(({ layer }) => layer === 'terrain'))
    expect(terrain.count).toBe(terrain.fields.length)
    const found = (await (await service.ask('/v1/meta/fields?layer=terrain&q=slope')).json()) as CatalogDocument
    expect(found.fields[0]!.name).toBe('slope_degrees')
    expect(found.fields.every(({ layer }) => layer === 'terrain')).toBe(true)
  })

  test('names the nearest layer', async () => {
    expect(await violationsOf(await service.ask('/v1/meta/fields?layer=terain'))).toMatchObject([
      { type: 'literal_error', loc: ['query', 'layer'], msg: "There is no such layer. Did you mean 'terrain'?" },
    ])
  })
})

test('a location with the name of another service is told the right name', async () => {
  const response = await service.post('/v1/fetch', { lat: 39.7392, lon: -104.9903, fields: ['county'] })
  expect(await violationsOf(response)).toMatchObject([
    { type: 'missing', loc: ['body', 'lng'], msg: 'Field required. Use `lng`, not `lon`.' },
  ])
})
