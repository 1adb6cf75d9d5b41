import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'
import { openRawService } from './socket.ts'

const service = await openHttpService()
afterAll(service.close)

type Document = {
  version: string
  count: number
  us_envelope: object
  fields: { name: string }[]
  presets: object
  preset_details: object
  answered_now: number
  answered_offline: number
}
const found = async (words: string) =>
  (await (
    await service.ask(`/v1/meta/fields?q=${encodeURIComponent(words)}`, { headers: { authorization: null } })
  ).json()) as Document
const whole = (await (await service.ask('/v1/meta/fields')).json()) as Document

describe('the catalog search', () => {
  test.each([
    ['flood zone', 'fema_flood_zone'],
    ['elevation', 'elevation'],
    ['how high', 'elevation'],
    ['nearest hospital', 'nearest_hospital_name'],
  ])('for %j has the field %s among its first results', async (words, name) => {
    expect((await found(words)).fields.slice(0, 5).map((field) => field.name)).toContain(name)
  })

  test('returns at most fifty entries as in the whole catalog, with its version and presets', async () => {
    const { fields, count, ...rest } = await found('distance')
    expect([fields.length, count]).toEqual([50, 50])
    for (const field of fields) expect(field).toEqual(whole.fields.find(({ name }) => name === field.name)!)
    const { version, us_envelope, presets, preset_details, answered_now, answered_offline } = whole
    const shared = { version, us_envelope, presets, preset_details, answered_now, answered_offline }
    expect(rest).toEqual({ ...shared, generated_at: expect.any(String) } as never)
  })

  test('returns the same fields to agents', async () => {
    const { app } = service.testService
    expect((await found('wetland')).fields.map(({ name }) => name)).toEqual(
      app.searchFields(app.catalog, 'wetland', 50),
    )
  })

  test('finds nothing for unknown words, and everything without words', async () => {
    expect((await found('qqqqqq')).fields).toEqual([])
    expect(await found('  ')).toEqual(whole)
  })

  test.each(['" OR *', 'name:', 'NEAR(', "'; DROP TABLE fields", '\u0000', '%'])('takes %j for words', async (words) =>
    expect((await service.ask(`/v1/meta/fields?q=${encodeURIComponent(words)}`)).status).toBe(200),
  )

  test('does not hold up other requests, however many strangers search at once', async () => {
    const { port, close } = await openRawService()
    const order: string[] = []
    const finished = Promise.withResolvers<void>()
    const connection = (what: string) =>
      Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          data() {
            order.push(what)
            if (what === 'the last search') finished.resolve()
          },
          error: () => {},
        },
      })
    const names = [...Array.from({ length: 40 }, () => 'a search'), 'the last search', 'the health check']
    const sockets = await Promise.all(names.map(connection))
    const words = encodeURIComponent('distance to the nearest water '.repeat(10))
    for (const [i, name] of names.entries())
      sockets[i]!.write(
        `GET ${name === 'the health check' ? '/healthz' : `/v1/meta/fields?q=${words}`} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      )
    await finished.promise
    expect(order.indexOf('the health check')).toBeWithin(0, 20)
    for (const socket of sockets) socket.end()
    await close()
  })

  test('rejects more than 300 characters', async () => {
    const response = await service.ask(`/v1/meta/fields?q=${'x'.repeat(301)}`)
    expect([
      response.status,
      ((await response.json()) as { detail: { type: string; loc: string[] }[] }).detail.map(({ type, loc }) => [
        type,
        loc,
      ]),
    ]).toEqual([422, [['string_too_long', ['query', 'q']]]])
  })
})
