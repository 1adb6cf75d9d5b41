import { afterEach, describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { askCanaries, checkCanary, type CanaryCheck } from '../../src/cli/doctor/doctor-canaries.ts'
import type { Canary } from '../../src/catalog/records.ts'
import { openTestService } from '../support/test-service.ts'
import { testKeys } from '../upstreams/online-service.ts'
import type { ReceivedRequest, ServiceAnswer, SimulatedService } from '../upstreams/service.ts'
import { services } from '../upstreams/services.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

let closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.map((close) => close()))
  closing = []
})

test('every dataset has one to three canaries', () => {
  const counts = Object.keys(contents.datasets).map((id) => [id, contents.canaries[id]?.length ?? 0] as const)
  expect(counts.filter(([, count]) => count < 1 || count > 3)).toEqual([])
})

test('at least 78 datasets have a canary with a fact, which must be answered with a value', () => {
  const withFact = Object.values(contents.canaries).filter((questions) => questions.some(({ fact }) => fact !== null))
  expect(withFact.length).toBeGreaterThanOrEqual(78)
})

test('every fact names who states it and why, and a range is not empty', () => {
  const facts = Object.values(contents.canaries)
    .flat()
    .flatMap(({ fact }) => fact ?? [])
  expect(facts.filter(({ source }) => !/^[^:]+: .+/.test(source))).toEqual([])
  expect(facts.filter(({ expected }) => 'range' in expected && expected.range[0] >= expected.range[1])).toEqual([])
})

test('the simulated publishers answer every canary with a value, and right', async () => {
  const { app } = openService(services)
  const handles = [...app.registry.datasets()].filter(({ options }) => options.length > 0)
  const checks: [string, CanaryCheck][] = []
  for (const handle of handles) for (const check of await askCanaries(handle, app)) checks.push([handle.id, check])
  expect(checks.length).toBeGreaterThan(150)
  expect(checks.filter(([, { status, found }]) => (status !== 'right' && status !== 'slow') || found === null)).toEqual(
    [],
  )
})

describe('a publisher that', () => {
  test('renames an attribute is reported as changed, with the name', async () => {
    const check = await checkWith(
      'census_tigerweb_states',
      altered('tigerweb.geo.census.gov', (body) => body.replaceAll('GEOID', 'GEO_IDENT')),
    )
    expect(check).toMatchObject({ status: 'changed', change: 'name', remark: expect.stringContaining('GEOID') })
  })

  test('adds a code is reported as changed, with the code', async () => {
    const check = await checkWith(
      'usgs_designmaps_asce7_22',
      altered('earthquake.usgs.gov', (body) => body.replaceAll(/"sdc":"[A-F]"/g, '"sdc":"Z"')),
    )
    expect(check).toMatchObject({ status: 'changed', change: 'code', remark: expect.stringContaining('"Z"') })
  })

  test.each([
    [
      'another pixel type',
      '"pixelType":"S16"',
      '"pixelType":"F32"',
      'pixel type integer. It has pixel type F32, band count 1',
    ],
    ['more bands', '"bandCount":1', '"bandCount":3', 'band count 1. It has pixel type S16, band count 3'],
  ])('stores a raster with %s is reported as changed, with the format', async (_what, before, after, remark) => {
    const check = await checkWith(
      'landfire_fbfm40',
      altered('lfps.usgs.gov', (body) => body.replace(before, after)),
    )
    expect(check).toMatchObject({ status: 'changed', change: 'name', remark: expect.stringContaining(remark) })
  })

  test('answers in another unit is reported as changed, with the unit', async () => {
    const inFeet = (body: string) =>
      body.replaceAll(/"value":"([-.0-9]+)"/g, (_, meters: string) => `"value":"${Number(meters) / 0.3048}"`)
    const check = await checkWith('usgs_3dep', [
      { host: 'prd-tnm.s3.amazonaws.com', answer: () => ({ status: 503, body: 'The service answers 503.' }) },
      ...altered('elevation.nationalmap.gov', inFeet),
    ])
    expect(check).toMatchObject({
      status: 'changed',
      change: 'unit',
      expected: { range: [1600, 1700] },
      found: expect.closeTo(1655 / 0.3048, 0),
      remark: expect.stringContaining('feet instead of meters'),
    })
  })

  test('moves to another host is reported as changed, with the host', async () => {
    const moved = (): ServiceAnswer => ({
      status: 301,
      headers: { location: 'https://moved.example.org/geocoder' },
      body: '',
    })
    const check = await checkWith('census_geocoder_geographies', [
      { host: 'geocoding.geo.census.gov', answer: moved },
      ...services,
    ])
    expect(check).toMatchObject({
      status: 'changed',
      change: 'host',
      remark: expect.stringContaining('moved.example.org'),
    })
  })

  test('answers with another value is reported as wrong, with both values', async () => {
    const check = await checkWith(
      'usgs_wbd_huc12',
      altered('hydro.nationalmap.gov', (body) => body.replaceAll('10190005', '10190006')),
    )
    expect(check).toMatchObject({ status: 'wrong', expected: { value: '10190005' }, found: '10190006' })
    expect(check.remark).toContain('"10190005"')
    expect(check.remark).toContain('"10190006"')
  })

  test('is down is reported as failed', async () => {
    const check = await checkWith('usgs_wbd_huc12', [
      { host: 'hydro.nationalmap.gov', answer: () => ({ status: 503, body: 'The service answers 503.' }) },
    ])
    expect(check).toMatchObject({ status: 'failed', change: null })
  })
})

test('a right answer that takes more than half of the time limit is slow', () => {
  const canary: Canary = { field: 'depth', place: 'Boulder', lat: 40, lng: -105, fact: null }
  const result = {
    value: 3,
    status: 'ok',
    source: 's',
    unit: 'm',
    source_url: '',
    ttl_seconds: 1,
    confidence: 'high',
    fetched_at: '2026-11-28T00:00:00.000+00:00',
    dataset_vintage: null,
    notes: null,
  } as const
  const check = checkCanary(canary, { ...result, driver: null }, { latency_ms: 900, isSlow: true })
  expect(check).toMatchObject({ status: 'slow', found: 3, latency_ms: 900 })
})

function openService(simulated: SimulatedService[]) {
  const upstreams = openUpstreams({ services: simulated })
  const service = openTestService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
    ...testKeys,
  })
  closing.push(() => service.close(), upstreams.close)
  return service
}

/** The first canary of a dataset, asked while the publishers are these. */
async function checkWith(id: string, simulated: SimulatedService[]): Promise<CanaryCheck> {
  const { app } = openService(simulated)
  const [check] = await askCanaries(
    [...app.registry.datasets()].find((handle) => handle.id === id)!,
    app,
  )
  return check!
}

/** All publishers, one of them with another text in its answers. */
function altered(host: string, change: (body: string) => string): SimulatedService[] {
  return services.map((service) =>
    service.host === host
      ? {
          host,
          async answer(received: ReceivedRequest) {
            const answer = await service.answer(received)
            return answer && typeof answer.body === 'string' ? { ...answer, body: change(answer.body) } : answer
          },
        }
      : service,
  )
}
