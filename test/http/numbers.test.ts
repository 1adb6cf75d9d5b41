import { afterAll, describe, expect, test } from 'bun:test'
import type { ApiError, Violation } from '../../src/model/error.ts'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

/** A body as text, with numbers that JSON.stringify cannot write. */
const body = (lat: string, lng: string) => `{"lat":${lat},"lng":${lng},"fields":["geohash"]}`
const denver = ['39.7392', '-104.9903'] as const

const refused: [text: string, type: string][] = [
  ['"39.7392"', 'float_parsing'],
  ['"1"', 'float_parsing'],
  ['""', 'float_parsing'],
  ['"NaN"', 'float_parsing'],
  ['"Infinity"', 'float_parsing'],
  ['"1e2"', 'float_parsing'],
  ['true', 'float_parsing'],
  ['false', 'float_parsing'],
  ['null', 'missing'],
  ['[]', 'float_parsing'],
  ['[39]', 'float_parsing'],
  ['{}', 'float_parsing'],
  ['{"valueOf":39}', 'float_parsing'],
  ['1e309', 'finite_number'],
  ['-1e309', 'finite_number'],
  ['1e999', 'finite_number'],
  [`1${'0'.repeat(400)}`, 'finite_number'],
]
const notJson = ['NaN', 'Infinity', '-Infinity', '+39', '039', '39.', '.5', '0x27', '3_9', '1e', '39,5', '--39', '३९']

describe.each(['lat', 'lng'])('as %s', (name) => {
  const bodyWith = (text: string) => (name === 'lat' ? body(text, denver[1]) : body(denver[0], text))

  test.each(refused)('%s is %s', async (text, type) => {
    const response = await service.post('/v1/fetch', bodyWith(text))
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: Violation[] }
    expect(detail.map((it) => [it.type, it.loc])).toEqual([[type, ['body', name]]])
  })

  test.each(notJson)('%s is not JSON', async (text) => {
    const response = await service.post('/v1/fetch', bodyWith(text))
    expect(response.status).toBe(422)
    expect(((await response.json()) as { detail: Violation[] }).detail.map(({ type }) => type)).toEqual([
      'json_invalid',
    ])
  })
})

describe('a finite number in any JSON notation is a coordinate', () => {
  const same = [
    ['3.97392e1', '-1.049903E+2'],
    ['397392e-4', '-1049903e-4'],
    ['39.73920000', '-104.99030000000000000000000000001'],
  ] as const
  test.each(same)('%s, %s is Denver', async (lat, lng) => {
    const response = await service.post('/v1/fetch', body(lat, lng))
    expect(await response.json()).toMatchObject({
      lat: 39.7392,
      lng: -104.9903,
      fields: { geohash: { value: '9xj64fk3s' } },
    })
  })

  test.each([
    ['40', '-105'],
    ['40.0', '-105.0'],
  ] as const)('%s, %s is a place', async (lat, lng) =>
    expect((await service.post('/v1/fetch', body(lat, lng))).status).toBe(200),
  )

  test.each([
    ['95', '-105'],
    ['-95', '-105'],
    ['1e308', '0'],
    ['5e-324', '-5e-324'],
    ['9007199254740993', '1'],
  ] as const)('%s, %s is outside the envelope', async (lat, lng) => {
    const response = await service.post('/v1/fetch', body(lat, lng))
    expect(response.status).toBe(400)
    expect(((await response.json()) as { detail: { error: string } }).detail.error).toBe('coord_out_of_bounds')
  })
})

test('-0 becomes 0', async () => {
  const budget = { signal: new AbortController().signal }
  const refusal = await Promise.try(service.testService.app.locate, { lat: -0, lng: -0 }, budget).catch(
    (error: unknown) => error as ApiError,
  )
  const { lat, lng } = (refusal as ApiError).context
  expect([Object.is(lat, 0), Object.is(lng, 0)]).toEqual([true, true])
})

test('a violation shows a number that is not finite as text', async () => {
  const response = await service.post('/v1/fetch', body('1e309', '-1e309'))
  expect(((await response.json()) as { detail: Violation[] }).detail.map(({ input }) => input)).toEqual([
    'Infinity',
    '-Infinity',
  ])
})
