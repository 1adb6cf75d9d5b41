import { afterEach, describe, expect, test } from 'bun:test'
import { openStandIn, type StandIn } from '../../scripts/bench/stand-in.ts'
import { runLoadGenerator, type LoadOptions } from '../../scripts/soak/load-generator.ts'
import { withHealthProbe } from '../../scripts/soak/health-probe.ts'
import { addAccount, startService, type ServiceProcess } from '../../scripts/soak/service-process.ts'

// The short form of `npm run soak -- load`: it checks the outcome of each request and no times.
const seconds = 2
const opened: { stop(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const it of opened.splice(0).toReversed()) await it.stop()
})

async function standIn(): Promise<StandIn> {
  const it = await openStandIn()
  opened.push({ stop: it.close })
  await it.report({ do: 'delay', ms: 50 })
  return it
}

async function testService(env: Record<string, string>, prepare?: (data: string) => void): Promise<ServiceProcess> {
  const it = await startService(env, prepare)
  opened.push(it)
  return it
}

const orderOf = ({ url }: ServiceProcess, more: Partial<LoadOptions>): LoadOptions => ({
  url: url.href,
  path: '/v1/fetch',
  asking: 'sources',
  per_s: 100,
  seconds,
  seed: 1,
  token: '',
  first: 0,
  ...more,
})

describe('under overload', () => {
  test('with remote sources, each request is answered or rejected with 503, and /healthz always answers', async () => {
    const { url } = await standIn()
    const it = await testService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url })
    const { result, health } = await withHealthProbe(it, () => runLoadGenerator(orderOf(it, { per_s: 1_000 })))
    expect([result.other, Object.keys(result.statuses)]).toEqual([0, ['200', '503']])
    expect([result.good > 0, result.refused > 0, health.healthy]).toEqual([true, true, health.requested])
  })

  test('with embedded data, locations are rejected too, and /healthz does not wait for them', async () => {
    const it = await testService({ FIELDSTONE_OFFLINE: '1' })
    const { result, health } = await withHealthProbe(it, () =>
      runLoadGenerator(orderOf(it, { path: '/v1/fetch/batch', asking: 'embedded', per_s: 600 })),
    )
    expect([result.other, Object.keys(result.statuses)]).toEqual([0, ['200']])
    expect([result.good > 0, result.refused > 0, health.healthy]).toEqual([true, true, health.requested])
  })
})

test('an account with few requests is always answered while another account overloads the service', async () => {
  const { url } = await standIn()
  const tokens: string[] = []
  const it = await testService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url, FIELDSTONE_AUTH: 'on' }, (data) =>
    tokens.push(addAccount(data, 'a'), addAccount(data, 'b')),
  )
  const [a = '', b = ''] = tokens
  const [ofB, ofA] = await Promise.all([
    runLoadGenerator(orderOf(it, { per_s: 20, token: b, first: 100_000 })),
    runLoadGenerator(orderOf(it, { per_s: 800, token: a, seed: 2 })),
  ])
  expect(ofA.refused).toBeGreaterThan(ofA.good)
  // The account with fewer active and queued locations is never rejected, however busy the machine is.
  expect([ofB.offered > 0, ofB.good, ofB.refused, ofB.other]).toEqual([true, ofB.offered, 0, 0])
})
