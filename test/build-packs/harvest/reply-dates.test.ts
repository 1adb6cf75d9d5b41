import { describe, expect, test } from 'bun:test'
import type { Harvester } from '../../../src/drivers/harvest.ts'
import { imageserverDriver } from '../../../src/drivers/imageserver/imageserver.ts'
import { restDriver } from '../../../src/drivers/rest/rest.ts'
import { restFeaturesDriver } from '../../../src/drivers/rest/rest-features.ts'
import { readJsonBody } from '../../../src/net/content.ts'
import type { HttpClient } from '../../../src/net/http-client.ts'

const box = { w: -105.3, s: 40, e: -105.2, n: 40.05 }
const budget = { signal: new AbortController().signal }
const dataset = {
  id: 'made_up',
  attributes: undefined,
  levels: [],
  editions: [0],
  apiKey: null,
  keyField: null,
  counties: ['08013', '08014'],
}
const description = {
  extent: { xmin: -120, ymin: 30, xmax: -100, ymax: 50 },
  spatialReference: { wkid: 4_326 },
  pixelSizeX: 1,
  pixelSizeY: 1,
  pixelType: 'U8',
  bandCount: 1,
}

/** A publisher whose replies have these headers, one after the other. */
function openPublisher(body: unknown, headers: Record<string, string>[]) {
  const urls: string[] = []
  const send: HttpClient['send'] = ({ url }) => {
    const replyHeaders = { 'content-type': 'application/json', ...headers[urls.length] }
    urls.push(url)
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    return Promise.resolve({ status: 200, headers: new Headers(replyHeaders), bytes })
  }
  const net: HttpClient = {
    send,
    fetchJson: async (call, it) => readJsonBody(await send(call, it), 'made-up.example'),
    fetchText: () => expect.unreachable(),
    health: () => null,
    close() {},
  }
  return { urls, deps: { net, now: () => new Date() } }
}

type Deps = ReturnType<typeof openPublisher>['deps']
const list = (deps: Deps) =>
  restFeaturesDriver.harvest!(
    { endpoint: 'https://made-up.example/list?box={w},{s},{e},{n}', lat: 'y', lon: 'x' },
    deps,
    dataset,
  )
const records = (deps: Deps) =>
  restDriver.harvest!({ endpoint: 'https://made-up.example/counties/{county_fips}' }, deps, {
    ...dataset,
    keyField: 'county_fips',
  })
const image = (deps: Deps) =>
  imageserverDriver.harvest!({ endpoint: 'https://made-up.example/arcgis/rest/services/a/ImageServer' }, deps, dataset)

const june = 'Mon, 01 Jun 2026 10:00:00 GMT'
const august = 'Sat, 01 Aug 2026 10:00:00 GMT'

describe('The last edit of data without an edit date of its own is the header Last-Modified of its replies', () => {
  test.each([
    ['a list', list, [{ y: 40, x: -105 }]],
    ['an image service', image, description],
  ] as [string, (deps: Deps) => Harvester | null, unknown][])('of %s', async (_, harvesterOf, body) => {
    const { deps } = openPublisher(body, [{ 'last-modified': june }])
    expect(await harvesterOf(deps)!.lastEdit!([box], budget)).toEqual(new Date(june))
  })

  test('of the records of counties: the newest of all', async () => {
    const { deps, urls } = openPublisher({ a: 1 }, [{ 'last-modified': august }, { 'last-modified': june }])
    expect(await records(deps)!.lastEdit!([box], budget)).toEqual(new Date(august))
    expect(urls.length).toBe(2)
  })

  test('It is not known if a reply does not have it, and then no other record is requested', async () => {
    const { deps, urls } = openPublisher({ a: 1 }, [{}, { 'last-modified': june }])
    expect(await records(deps)!.lastEdit!([box], budget)).toBeNull()
    expect(urls.length).toBe(1)
  })

  test('The time at which a reply was made is not the time of its data', async () => {
    const { deps } = openPublisher([{ y: 40, x: -105 }], [{ 'last-modified': june, date: june }])
    expect(await list(deps)!.lastEdit!([box], budget)).toBeNull()
  })
})
