import { afterAll, describe, expect, test } from 'bun:test'
import type { Violation } from '../../src/model/error.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const fields = ['geohash']

async function typesOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(422)
  return ((await response.json()) as { detail: Violation[] }).detail.map(({ type }) => type)
}

describe('depth', () => {
  const nested = (depth: number) =>
    `{"lat":39.7392,"lng":-104.9903,"fields":["geohash"],"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  test('of 32 levels is read', async () => expect((await service.post('/v1/fetch', nested(32))).status).toBe(200))
  test.each([33, 1000, 500_000])('of %d levels is json_invalid', async (depth) =>
    expect(await typesOf(await service.post('/v1/fetch', nested(depth)))).toEqual(['json_invalid']),
  )

  const flat = [
    ['brackets in a text', '[{'.repeat(100)],
    ['brackets after an escaped quote', '"[[['.repeat(50)],
    ['brackets after a backslash', '\\'.repeat(3) + '['.repeat(50)],
  ] as const
  test.each(flat)('is not increased by %s', async (_name, x) =>
    expect((await service.post('/v1/fetch', { ...denver, fields, x })).status).toBe(200),
  )
  test('is not affected by extra closing brackets', async () =>
    expect(await typesOf(await service.post('/v1/fetch', ']'.repeat(100)))).toEqual(['json_invalid']))
})

describe('the last value of a duplicate member counts', () => {
  const twice = [
    ['lat', '{"lat":0,"lat":39.7392,"lng":-104.9903,"fields":["geohash"]}'],
    ['lat, the first of a wrong type', '{"lat":"x","lat":39.7392,"lng":-104.9903,"fields":["geohash"]}'],
    ['fields', '{"lat":39.7392,"lng":-104.9903,"fields":["nothing"],"fields":["geohash"]}'],
  ] as const
  test.each(twice)('%s', async (_name, body) => {
    expect(await (await service.post('/v1/fetch', body)).json()).toMatchObject({
      ...denver,
      fields: { geohash: { status: 'ok' } },
    })
  })

  test('also when the last one is invalid', async () => {
    expect(
      await typesOf(await service.post('/v1/fetch', '{"lat":39,"lng":-105,"lng":null,"fields":["geohash"]}')),
    ).toEqual(['missing'])
  })
})

describe('many names', () => {
  test('of 10,000 unknown fields fifty are listed, ten of them with suggestions', async () => {
    const unknown = Array.from({ length: 10_000 }, (_, i) => `name_${i}`)
    const detail = await detailOf(await service.post('/v1/fetch', { ...denver, fields: unknown }))
    expect(detail).toMatchObject({ error: 'fields_unknown', fields_unknown: unknown.slice(0, 50) })
    expect(Object.keys(detail.suggestions as object)).toEqual(unknown.slice(0, 10))
  })

  test('that are all known are fields_too_many', async () => {
    const all = [...service.testService.app.catalog.fields.keys()]
    expect(await detailOf(await service.post('/v1/fetch', { ...denver, fields: all }))).toMatchObject({
      error: 'fields_too_many',
      requested: all.length,
      max: 50,
    })
  })

  test.each([
    ['field', 'fields'],
    ['preset', 'preset'],
  ])('an unknown %s of a megabyte is truncated in the response', async (_name, member) => {
    const name = 'x'.repeat(1_000_000)
    const response = await service.post('/v1/fetch', { ...denver, [member]: member === 'fields' ? [name] : name })
    expect((await response.text()).length).toBeLessThan(10_000)
  })
})

describe('names of Object.prototype', () => {
  const inherited = words`
    __proto__ constructor toString hasOwnProperty valueOf prototype __defineGetter__
  `

  test('are unknown fields', async () => {
    const response = await service.post('/v1/fetch', JSON.stringify({ ...denver, fields: inherited }))
    const detail = await detailOf(response)
    expect([response.status, detail.error, detail.fields_unknown]).toEqual([400, 'fields_unknown', inherited])
    expect(Object.keys(detail.suggestions as object).toSorted()).toEqual(inherited.toSorted())
  })

  test.each(inherited)('do not replace a location: %s', async (name) => {
    const single = `{"${name}":{"lat":39.7392,"lng":-104.9903},"fields":["geohash"]}`
    expect(await detailOf(await service.post('/v1/fetch', single))).toMatchObject({ error: 'invalid_locator' })
    const batch = `{"locations":[{"${name}":{"lat":39,"lng":-105}}],"fields":["geohash"]}`
    expect(await (await service.post('/v1/fetch/batch', batch)).json()).toMatchObject({
      results: [{ ok: false, error: { error: 'invalid_locator' } }],
    })
  })

  test.each(inherited)('have no effect as members: %s', async (name) => {
    const response = await service.post(
      '/v1/fetch',
      `{"${name}":{"address":"x","preset":"terrain","lat":1},"lat":39.7392,"lng":-104.9903,"fields":["geohash"]}`,
    )
    expect(Object.keys(((await response.json()) as { fields: object }).fields)).toEqual(['geohash'])
    expect('address' in {}).toBe(false)
  })
})

describe('an address', () => {
  const marks = [
    ['NUL', '\u0000'],
    ['tab', '\t'],
    ['carriage return', '\r'],
    ['escape', '\u001b'],
    ['delete', '\u007f'],
    ['a C1 control', '\u0085'],
    ['zero-width space', '\u200b'],
    ['zero-width joiner', '\u200d'],
    ['word joiner', '\u2060'],
    ['byte order mark', '\ufeff'],
    ['right-to-left override', '\u202e'],
    ['right-to-left mark', '\u200f'],
    ['left-to-right isolate', '\u2066'],
    ['soft hyphen', '\u00ad'],
    ['a lone surrogate', '\ud800'],
    ['a tag character', '\u{e0041}'],
  ] as const
  test.each(marks)('with %s is value_error', async (_name, mark) => {
    expect(await typesOf(await service.post('/v1/fetch', { address: `1 Main${mark} St`, fields }))).toEqual([
      'value_error',
    ])
  })

  const lengths = [
    ['256 letters', 'x'.repeat(256), 404],
    ['257 letters', 'x'.repeat(257), 422],
    ['256 emoji', '😀'.repeat(256), 404],
    ['257 emoji', '😀'.repeat(257), 422],
    ['a megabyte', 'é'.repeat(500_000), 422],
  ] as const
  test.each(lengths)('of %s is measured in code points', async (_name, address, status) => {
    const response = await service.post('/v1/fetch', { address, fields })
    expect(response.status).toBe(status)
    if (status === 422) expect(await typesOf(response)).toEqual(['string_too_long'])
  })

  test('accepts letters of any script', async () => {
    expect(
      (await service.post('/v1/fetch', { address: '1 Calle Peñón, Añasco, Kāneʻohe 東京 שלום', fields })).status,
    ).toBe(400)
  })

  test('that is rejected is not logged', async () => {
    await service.post('/v1/fetch', { address: '4711 Secret Lane\u0000', fields })
    expect(service.testService.logged.filter((line) => line.includes('Secret'))).toEqual([])
  })
})
