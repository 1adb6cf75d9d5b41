import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { makeToken } from '../../src/auth/token.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import { startFieldstone, type Fieldstone } from '../cli/fieldstone.ts'
import { openHttpClient } from '../../src/net/http-client.ts'
import { createSender, openBrowser, type SendRequest } from '../http/browser.ts'
import { openTestService } from '../support/test-service.ts'
import { createBomb, type Encoding } from '../upstreams/encodings.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { jsonAnswer, type SimulatedService } from '../upstreams/service.ts'
import { services } from '../upstreams/services.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The maximum memory growth for a bomb of 256 MB. */
const growthMax_bytes = 64 * 1024 * 1024

/** Each encoding has its own client, field and source. Otherwise the circuit breaker would open. */
const rows: [Encoding, string, string, string][] = [
  ['gzip', 'a.client.example', 'listed_species_count', 'ipac.ecosphere.fws.gov'],
  ['deflate', 'b.client.example', 'heating_degree_days_c', 'power.larc.nasa.gov'],
  ['br', 'c.client.example', 'active_weather_alerts_count', 'api.weather.gov'],
  ['zstd', 'd.client.example', 'nhdplus_comid', 'api.water.usgs.gov'],
  ['gzip, gzip', 'e.client.example', 'nearest_stream_gage_name', 'api.waterdata.usgs.gov'],
  ['zstd, gzip', 'f.client.example', 'rainfall_100yr_24h_mm', 'hdsc.nws.noaa.gov'],
]

const callback = 'https://client.example/callback'
const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
const folder = temporaryFolder()
const upstreams = openUpstreams({ services: [...services, ...rows.map(([, host]) => clientAt(host))] })

/** Reads client documents from the stand-in: the service itself reads them only over https, from public addresses. */
const documentReader = openTestService(
  { FIELDSTONE_OFFLINE: '0', FIELDSTONE_TOKEN: token },
  {
    documentClient: openHttpClient({
      mirror: upstreams.url,
      userAgent: 'Fieldstone',
      catalogHosts: new Set(),
      now: () => new Date(),
      random: Math.random,
    }),
  },
)
const askReader = createSender(documentReader)
const browser = openBrowser(askReader, documentReader.app.config.base_url)

let service: Fieldstone
let ask: SendRequest

beforeAll(async () => {
  for (const [encoding] of rows) createBomb(encoding)
  service = startFieldstone(
    ['serve', '--data', folder],
    { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, FIELDSTONE_TOKEN: token },
    folder,
  )
  const [, address = ''] = await service.waitForOutput(/answers at (http:\S+)/)
  ask = (path, init) => fetch(new URL(path, address), init)
  await browser.submit(await browser.get('/sign-in'), { name: 'owner', password: token })
})

afterAll(async () => {
  service.signal('SIGTERM')
  await service.end()
  await documentReader.close()
  upstreams.close()
})

test('client documents and source responses may use gzip', async () => {
  upstreams.fault({}, { encoding: 'gzip' })
  expect((await authorizeDevice('https://a.client.example/one.json')).status).toBe(200)
  const page = await authorize('https://a.client.example/another.json')
  expect([page.status, page.text.includes('<strong>Described</strong>')]).toEqual([200, true])
  expect(await fetchField('listed_species_count', testPlaces.boulder)).toMatchObject({ status: 'ok', value: 2 })
  upstreams.heal()
})

describe.each(rows)('256 MB in %s', (encoding, host, field, source) => {
  test('as a client document is rejected at both endpoints, without memory growth', async () => {
    upstreams.fault({ host }, { bomb: encoding })
    const before = upstreams.callsTo(host)
    const growth_bytes = await growthDuring(process.pid, async () => {
      const response = await authorizeDevice(`https://${host}/client.json`)
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([401, 'invalid_client'])
      const page = await authorize(`https://${host}/client.json`)
      expect([page.status, page.location]).toEqual([400, null])
    })
    upstreams.heal()
    expect(upstreams.callsTo(host) - before).toBe(2)
    expect(growth_bytes).toBeLessThan(growthMax_bytes)
  })

  test('as a source response is a failure of the field, without memory growth', async () => {
    upstreams.fault({ host: source }, { bomb: encoding })
    const growth_bytes = await growthDuring(service.pid, async () => {
      const expected = encoding === 'gzip' ? /^too_large: / : /^bad_response: .* content encoding/
      expect(await fetchField(field, testPlaces.miami_beach)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(expected),
      })
    })
    upstreams.heal()
    expect(growth_bytes).toBeLessThan(growthMax_bytes)
  })
})

function clientAt(host: string): SimulatedService {
  return {
    host,
    answer: ({ path }) =>
      jsonAnswer({
        client_id: `https://${host}${path}`,
        client_name: 'Described',
        redirect_uris: [callback],
        token_endpoint_auth_method: 'none',
      }),
  }
}

function authorizeDevice(client_id: string) {
  return askReader('/oauth/device_authorization', { method: 'POST', body: new URLSearchParams({ client_id }) })
}

function authorize(client_id: string) {
  const query = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: 'fetch',
    state: 's',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  return browser.get(`/oauth/authorize?${query.toString()}`)
}

async function fetchField(field: string, at: Point) {
  const response = await ask('/v1/fetch', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...at, fields: [field] }),
  })
  return ((await response.json()) as FetchAnswer).fields[field]
}

/** The peak memory of a process during the work, minus its memory before. */
async function growthDuring(pid: number, work: () => Promise<void>): Promise<number> {
  // Resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = memoryOf(pid, 'VmRSS')
  await work()
  return memoryOf(pid, 'VmHWM') - before
}

function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  return 1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
}
