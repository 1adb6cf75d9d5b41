import { afterEach, describe, expect, test } from 'bun:test'
import { openStandIn, type StandIn } from '../../scripts/bench/stand-in.ts'
import { orderedLoad, type Order } from '../../scripts/soak/ordered-load.ts'
import { withPulse } from '../../scripts/soak/pulse.ts'
import { accountIn, served, type Served } from '../../scripts/soak/served.ts'

// The short form of `npm run soak -- load`: what comes of each request, and nothing of how long it took.
const seconds = 2
const opened: { stop(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const it of opened.splice(0).toReversed()) await it.stop()
})

async function standIn(): Promise<StandIn> {
  const it = await openStandIn()
  opened.push({ stop: it.close })
  await it.tell({ do: 'delay', ms: 50 })
  return it
}

async function house(env: Record<string, string>, prepare?: (data: string) => void): Promise<Served> {
  const it = await served(env, prepare)
  opened.push(it)
  return it
}

const orderOf = ({ url }: Served, more: Partial<Order>): Order => ({
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

describe('with far more asked than can be answered', () => {
  test('of sources on other servers, each request is answered or refused with 503, and /healthz is answered all the time', async () => {
    const { url } = await standIn()
    const it = await house({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url })
    const { result, pulse } = await withPulse(it, () => orderedLoad(orderOf(it, { per_s: 1_000 })))
    expect([result.other, Object.keys(result.statuses)]).toEqual([0, ['200', '503']])
    expect([result.good > 0, result.refused > 0, pulse.healthy]).toEqual([true, true, pulse.asked])
  }, 60_000)

  test('of what is compiled in, which waits for nothing, it is the same: locations are refused, and /healthz does not wait behind them all', async () => {
    const it = await house({ FIELDSTONE_OFFLINE: '1' })
    const { result, pulse } = await withPulse(it, () =>
      orderedLoad(orderOf(it, { path: '/v1/fetch/batch', asking: 'embedded', per_s: 600 })),
    )
    expect([result.other, Object.keys(result.statuses)]).toEqual([0, ['200']])
    expect([result.good > 0, result.refused > 0, pulse.healthy]).toEqual([true, true, pulse.asked])
  }, 60_000)
})

test('an account that asks now and then is always answered while another asks for far more than there is', async () => {
  const { url } = await standIn()
  const tokens: string[] = []
  const it = await house({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url, FIELDSTONE_AUTH: 'on' }, (data) =>
    tokens.push(accountIn(data, 'a'), accountIn(data, 'b')),
  )
  const [a = '', b = ''] = tokens
  const [ofB, ofA] = await Promise.all([
    orderedLoad(orderOf(it, { per_s: 20, token: b, first: 100_000 })),
    orderedLoad(orderOf(it, { per_s: 800, token: a, seed: 2 })),
  ])
  expect(ofA.refused).toBeGreaterThan(ofA.good)
  // Who has the fewer at work and waiting is never turned away, whatever the machine has to do.
  expect([ofB.offered > 0, ofB.good, ofB.refused, ofB.other]).toEqual([true, ofB.offered, 0, 0])
}, 60_000)
