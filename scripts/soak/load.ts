import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { quantile } from '../bench/report.ts'
import { openStandIn } from '../bench/stand-in.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { runLoadGenerator, type LoadOptions, type LoadResult } from './load-generator.ts'
import { withHealthProbe, type HealthMeasurement } from './health-probe.ts'
import { addAccount, startService, type ServiceProcess } from './service-process.ts'

const delay_ms = 50
/** Rates above the capacity of any machine. The answered rate is the capacity. */
const flood_per_s = { sources: 1_000, embedded: 400 }
/** Concurrent and queued requests. A queued request waits at most as long as these take. */
const admitted = 32 + 64

/**
 * Tests that the service keeps its capacity under ten times the load, answers /healthz meanwhile, and shares between
 * accounts.
 */
export async function soakLoad(seconds = 15): Promise<Finding[]> {
  const standIn = await openStandIn()
  try {
    await standIn.report({ do: 'delay', ms: delay_ms })
    const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: standIn.url }
    return [
      ...(await overload('sources', env, seconds)),
      ...(await overload('embedded', { FIELDSTONE_OFFLINE: '1' }, seconds)),
      ...(await fairness(env, seconds)),
      ...(await fairness({ FIELDSTONE_OFFLINE: '1' }, seconds)),
      ...(await lockedStore(seconds)),
      ...(await hangingSources(standIn, env, seconds)),
    ]
  } finally {
    standIn.close()
  }
}

/** Measures a service at its capacity and at ten times its capacity. */
async function overload(
  asking: keyof typeof flood_per_s,
  env: Record<string, string>,
  seconds: number,
): Promise<Finding[]> {
  const it = await startService(env)
  try {
    const path = asking === 'embedded' ? '/v1/fetch/batch' : '/v1/fetch'
    const numbers = counting()
    const at = (per_s: number, seconds_: number) =>
      runLoadGenerator(orderOf(it, { path, asking, per_s, seconds: seconds_, first: numbers() }))
    const each = asking === 'embedded' ? 25 : 1
    const capacity = (await at(flood_per_s[asking], 5)).good / 5 / each
    const once = await withHealthProbe(it, () => at(capacity, seconds))
    const tenfold = await withHealthProbe(it, () => at(10 * capacity, seconds))
    const wait_ms = (1000 * admitted) / (capacity * each)
    return overloadFindings(asking, once, tenfold, wait_ms)
  } finally {
    await it.stop()
  }
}

type Observed = { result: LoadResult; health: HealthMeasurement }

function overloadFindings(asking: string, once: Observed, tenfold: Observed, wait_ms: number): Finding[] {
  const { result, health } = tenfold
  const bound_ms = 3 * p99(once.result.good_ms) + wait_ms
  return [
    atLeast(
      'P10',
      `${asking}: good answers at 10 x capacity / at 1 x (${once.result.good})`,
      result.good / once.result.good,
      0.9,
    ),
    atMost('P10', `${asking}: p99 of accepted requests at 10 x`, p99(result.good_ms), {
      bound: Math.round(bound_ms),
      unit: 'ms',
    }),
    atMost('P10', `${asking}: p99 of rejected requests`, p99(result.refused_ms), { bound: 100, unit: 'ms' }),
    atMost(
      'P10',
      `${asking}: memory at 10 x above 1 x (${once.health.memory_mb.toFixed(0)} MB)`,
      health.memory_mb - once.health.memory_mb,
      { bound: 64, unit: 'MB' },
    ),
    atMost('P10', `${asking}: neither answered nor rejected, of ${result.offered}`, result.other, 0),
    ...healthy(`${asking}: at 10 x capacity`, health),
  ]
}

/** Two accounts: one floods the service, the other sends a moderate load. */
async function fairness(env: Record<string, string>, seconds: number): Promise<Finding[]> {
  const tokens: string[] = []
  const asking = env.FIELDSTONE_OFFLINE === '1' ? 'embedded' : 'sources'
  const it = await startService({ ...env, FIELDSTONE_AUTH: 'on' }, (data) =>
    tokens.push(addAccount(data, 'a'), addAccount(data, 'b')),
  )
  try {
    const [a = '', b = ''] = tokens
    const numbers = counting()
    const path = asking === 'embedded' ? '/v1/fetch/batch' : '/v1/fetch'
    const capacity =
      (
        await runLoadGenerator(
          orderOf(it, { path, asking, per_s: flood_per_s[asking], seconds: 3, first: numbers(), token: a }),
        )
      ).good /
      3 /
      (asking === 'embedded' ? 25 : 1)
    // A third of the capacity is below the fair share of one half.
    const ofB = () =>
      runLoadGenerator(orderOf(it, { path, asking, per_s: capacity / 3, seconds, first: numbers(), token: b }))
    const alone = await ofB()
    const [beside] = await Promise.all([
      ofB(),
      runLoadGenerator(
        orderOf(it, { path, asking, per_s: 5 * capacity, seconds, first: numbers(), token: a, seed: 2 }),
      ),
    ])
    return [
      atLeast(
        'P15',
        `${asking}: good answers of one account while another floods / alone (${alone.good})`,
        beside.good / alone.good,
        0.8,
      ),
    ]
  } finally {
    await it.stop()
  }
}

/** Locks the database from another process for five seconds. */
async function lockedStore(seconds: number): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '1' })
  try {
    const { health } = await withHealthProbe(it, async () => {
      const db = new Database(join(it.data, 'state.db'))
      db.run('BEGIN EXCLUSIVE')
      const run = it
        .post('/v1/runs', {
          kind: 'fetch_batch',
          request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] },
        })
        .catch(() => null)
      await Promise.all([
        runLoadGenerator(
          orderOf(it, {
            path: '/v1/fetch/batch',
            asking: 'embedded',
            per_s: 20,
            seconds: Math.min(5, seconds),
            first: 0,
          }),
        ),
        Bun.sleep(5_000),
      ])
      db.run('ROLLBACK')
      db.close()
      await run
    })
    return healthy('while the database is locked', health)
  } finally {
    await it.stop()
  }
}

async function hangingSources(
  standIn: Awaited<ReturnType<typeof openStandIn>>,
  env: Record<string, string>,
  seconds: number,
): Promise<Finding[]> {
  const it = await startService(env)
  try {
    await standIn.report({ do: 'hang', host: 'hazards.fema.gov' })
    const { health } = await withHealthProbe(it, () =>
      runLoadGenerator(orderOf(it, { path: '/v1/fetch', asking: 'hanging', per_s: 100, seconds, first: 0 })),
    )
    return healthy('while a source hangs', health)
  } finally {
    await standIn.report({ do: 'heal' })
    await it.stop()
  }
}

function healthy(when: string, health: HealthMeasurement): Finding[] {
  return [
    atMost('P11', `p99 of /healthz ${when}`, health.p99_ms, { bound: 100, unit: 'ms' }),
    atLeast(
      'P11',
      `share of /healthz answered 200 ${when} (${health.requested})`,
      health.healthy / health.requested,
      1,
    ),
  ]
}

function orderOf(
  { url }: ServiceProcess,
  more: Omit<LoadOptions, 'url' | 'seed' | 'token'> & Partial<LoadOptions>,
): LoadOptions {
  return { url: url.href, seed: 1, token: '', ...more }
}

/** Returns a first number for each load, so that no two use the same locations. */
function counting(): () => number {
  let first = 0
  return () => (first += 100_000)
}

function p99(values: number[]): number {
  return values.length === 0 ? 0 : quantile(values, 0.99)
}
