import { remoteFieldNames } from '../../test/faults/remote-fields.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { testPlaces } from '../../test/upstreams/test-places.ts'
import { openUpstreams, type Upstreams } from '../../test/upstreams/upstreams.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const host = 'services.arcgis.com'
const field = 'in_opportunity_zone'
const equal = 100

/**
 * Tests that sources get no calls during a pause they requested, no duplicate calls, and few retries when everything
 * fails.
 */
export async function soakCallLimits(pause_s = 10, rounds = 10): Promise<Finding[]> {
  const upstreams = openUpstreams()
  try {
    return [
      ...(await pauses(upstreams, pause_s)),
      await equalQuestions(upstreams, rounds),
      ...(await retries(upstreams)),
    ]
  } finally {
    upstreams.close()
  }
}

/** Requests repeatedly from a host that answered 429 with Retry-After, once in seconds and once as a date. */
async function pauses(upstreams: Upstreams, pause_s: number): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [form, retryAfter] of [
    ['seconds', () => String(pause_s)],
    ['a date', () => new Date(Date.now() + 1000 * pause_s).toUTCString()],
  ] as const) {
    const it = await online(upstreams)
    try {
      upstreams.fault({ host, times: 1 }, { status: 429, retry_after: retryAfter() })
      const over = performance.now() + 1000 * pause_s
      await it.post('/v1/fetch', { ...near(0), fields: [field] })
      const before = upstreams.callsTo(host)
      let requested = 0
      // A date has no fractions of a second, so the pause can end up to a second earlier.
      while (performance.now() < over - 1500) {
        await it.post('/v1/fetch', { ...near(++requested), fields: [field] })
        await Bun.sleep(50)
      }
      findings.push(
        atMost(
          'P23',
          `calls during a pause of ${pause_s} s given as ${form}, in ${requested} requests`,
          upstreams.callsTo(host) - before,
          0,
        ),
      )
      await Bun.sleep(Math.max(0, over - performance.now()) + 1000)
      await it.post('/v1/fetch', { ...near(++requested), fields: [field] })
      findings.push(atLeast('P23', `calls after a pause given as ${form}`, upstreams.callsTo(host) - before, 1))
    } finally {
      await it.stop()
      upstreams.heal()
    }
  }
  return findings
}

async function equalQuestions(upstreams: Upstreams, rounds: number): Promise<Finding> {
  const it = await online(upstreams)
  try {
    upstreams.delay(100)
    let most = 0
    for (let round = 0; round < rounds; round++) {
      const before = upstreams.callsTo(host)
      const answers = await Promise.all(
        Array.from({ length: equal }, async () =>
          (await it.post('/v1/fetch', { ...near(round), fields: [field] })).text(),
        ),
      )
      const good = answers.filter((text) => text.includes('"partial_failures":[]')).length
      if (good < equal) throw new Error(`${equal - good} of ${equal} equal requests were not answered.`)
      most = Math.max(most, upstreams.callsTo(host) - before)
    }
    return atMost('P24', `calls for ${equal} simultaneous equal requests, maximum of ${rounds} rounds`, most, 1)
  } finally {
    upstreams.heal()
    await it.stop()
  }
}

/** Counts retries while every source answers 500. */
async function retries(upstreams: Upstreams): Promise<Finding[]> {
  const it = await online(upstreams)
  try {
    upstreams.fault({}, { status: 500 })
    const from = upstreams.calls.length
    let retried = 0
    for (const at of Object.values(testPlaces)) {
      const before = upstreams.calls.length
      await it.post('/v1/fetch', { ...at, fields: remoteFieldNames })
      const own = upstreams.calls
        .slice(before)
        .map(({ host: name, path, query, body }) => `${name}${path}?${query.toString()} ${body}`)
      retried += own.length - new Set(own).size
    }
    const calls = upstreams.calls.length - from
    return [
      atLeast('P26', 'calls to sources that all fail', calls, 100),
      atMost('P26', 'retries / calls', retried / calls, 0.1),
    ]
  } finally {
    upstreams.heal()
    await it.stop()
  }
}

function online(upstreams: Upstreams): Promise<ServiceProcess> {
  return startService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    FIELDSTONE_CONCURRENCY: '100',
    FIELDSTONE_QUEUE: '200',
    FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
    ...testKeys,
  })
}

/** Returns locations some metres apart. */
function near(i: number): { lat: number; lng: number } {
  return { lat: testPlaces.boulder.lat, lng: testPlaces.boulder.lng + i * 0.0001 }
}
