import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const path = '/v1/meta/fields'
const get = (headers: Record<string, string | null> = {}) => service.ask(path, { headers })
const plain = await get()
const etag = plain.headers.get('etag')!
const identity = new Uint8Array(await plain.arrayBuffer())
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('the ETag of the catalog', () => {
  test('is strong and differs for other bytes', async () => {
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    const coded = await Promise.all(
      ['gzip', 'zstd'].map(async (coding) => (await get({ 'accept-encoding': coding })).headers.get('etag')),
    )
    expect(new Set([etag, ...coded]).size).toBe(3)
  })

  test('is the same for every request', async () => expect((await get()).headers.get('etag')).toBe(etag))

  test('survives a restart and another data folder', async () => {
    const second = await openHttpService()
    const response = await second.ask(path)
    await second.close()
    expect(response.headers.get('etag')).toBe(etag)
    expect(await bytesOf(response)).toEqual(identity)
  })

  test('comes with max-age of an hour and Vary: Accept-Encoding', () => {
    expect(plain.headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    expect(plain.headers.get('vary')).toBe('accept-encoding')
  })
})

test('the list of sources has an ETag, with which an unchanged list is 304', async () => {
  const sources = await service.ask('/v1/meta/sources')
  const tag = sources.headers.get('etag')!
  expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
  const again = await service.ask('/v1/meta/sources', { headers: { 'if-none-match': tag } })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
  expect((await service.ask('/v1/meta/sources', { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
})

describe('If-None-Match', () => {
  const known = [
    ['the ETag', etag],
    ['the ETag, made weak', `W/${etag}`],
    ['anything', '*'],
    ['a list that has it', `"x", ${etag}, "y"`],
    ['a list without spaces', `"x",${etag}`],
    ['a list of weak ones', `W/"x", W/${etag}`],
    ['the ETag of another coding', etag.replace(/"$/, '-gzip"')],
  ] as const
  test.each(known)('of %s is answered with 304, without a body and with the ETag', async (_name, given) => {
    const response = await get({ 'if-none-match': given })
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag])
    expect(response.headers.has('content-type')).toBe(false)
  })

  const unknown = [
    ['another', '"x"'],
    ['the ETag without quotes', etag.slice(1, -1)],
    ['a list without it', '"x", "y"'],
    ['nothing', ''],
    ['a beginning of it', `${etag.slice(0, 10)}"`],
    ['a star in quotes', '"*"'],
  ] as const
  test.each(unknown)('of %s is answered with the whole document', async (_name, given) => {
    const response = await get({ 'if-none-match': given })
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toEqual(identity)
  })

  test('with the ETag of a compressed response is answered with 304', async () => {
    const coded = (await get({ 'accept-encoding': 'zstd' })).headers.get('etag')!
    const again = await get({ 'accept-encoding': 'zstd', 'if-none-match': coded })
    expect([again.status, again.headers.get('etag')]).toEqual([304, coded])
  })

  test('works for HEAD too', async () => {
    expect((await service.ask(path, { method: 'HEAD', headers: { 'if-none-match': etag } })).status).toBe(304)
  })
})

describe('Accept-Encoding', () => {
  const decoded = { gzip: Bun.gunzipSync, zstd: Bun.zstdDecompressSync } as const
  test.each(['gzip', 'zstd'] as const)('%s gives fewer bytes that decode to the same document', async (coding) => {
    const response = await get({ 'accept-encoding': coding })
    const bytes = await bytesOf(response)
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(bytes.length).toBeLessThan(identity.length / 2)
    expect(new Uint8Array(decoded[coding](bytes))).toEqual(identity)
  })

  const chosen = [
    [null, null],
    ['', null],
    ['identity', null],
    ['br', null],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, zstd', 'zstd'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; q=0', null],
    ['gzip;q=0.000', null],
    ['gzip ; q=0', null],
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd; q=0, gzip;q=1', 'gzip'],
    ['gzip;q=0, zstd;q=0', null],
    ['xgzip', null],
    ['gzip-x', null],
    ['gzip;q=x', null],
    ['identity;q=0, *;q=0', null],
    [',,,', null],
  ] as const
  test.each(chosen)('%j is answered with Content-Encoding %j', async (accepted, coding) => {
    expect((await get({ 'accept-encoding': accepted })).headers.get('content-encoding')).toBe(coding)
  })
})
