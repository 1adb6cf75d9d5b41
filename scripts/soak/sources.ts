import { quantile } from '../bench/report.ts'
import { openStandIn, type StandIn } from '../bench/stand-in.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { runLoadGenerator, type LoadOptions } from './load-generator.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const host = 'hazards.fema.gov'
const healthy_per_s = 60
const delay_ms = 50
/** Time for five errors to open the circuit breaker. Calls in progress by then, and their retries, are not counted. */
const untilOpen_ms = 5_000

/** Tests that a hanging source does not slow others, and that a dead source is not called. */
export async function soakSources(seconds = 60): Promise<Finding[]> {
  const standIn = await openStandIn()
  try {
    await standIn.report({ do: 'delay', ms: delay_ms })
    return [...(await besideOneThatHangs(standIn, Math.min(20, seconds))), ...(await dead(standIn, seconds))]
  } finally {
    standIn.close()
  }
}

async function besideOneThatHangs(standIn: StandIn, seconds: number): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: standIn.url })
  try {
    const healthy = (first: number) =>
      runLoadGenerator(orderOf(it, { asking: 'sources', per_s: healthy_per_s, seconds, first }))
    const alone = await healthy(0)
    await standIn.report({ do: 'hang', host })
    const [beside] = await Promise.all([
      healthy(100_000),
      runLoadGenerator(orderOf(it, { asking: 'hanging', per_s: 10, seconds, first: 0 })),
    ])
    await standIn.report({ do: 'heal' })
    const before_ms = quantile(alone.good_ms, 0.99)
    return [
      atLeast(
        'P21',
        `good answers of working sources while one hangs / none hangs (${alone.good})`,
        beside.good / alone.good,
        0.95,
      ),
      atMost('P21', 'their p99', quantile(beside.good_ms, 0.99), {
        bound: Math.round(Math.max(2 * before_ms, before_ms + 100)),
        unit: 'ms',
      }),
    ]
  } finally {
    await it.stop()
  }
}

async function dead(standIn: StandIn, seconds: number): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: standIn.url })
  try {
    await standIn.report({ do: 'break', host })
    const asking = runLoadGenerator(
      orderOf(it, { asking: 'hanging', per_s: 20, seconds: seconds + untilOpen_ms / 1000, first: 200_000 }),
    )
    await Bun.sleep(untilOpen_ms)
    await standIn.report({ do: 'tell' })
    await asking
    const { received } = await standIn.report({ do: 'tell' })
    await standIn.report({ do: 'heal' })
    return [
      atMost(
        'P22',
        `calls to a dead source in ${seconds} s of 20 requests a second, after its circuit breaker opened`,
        received.filter((name) => name === host).length,
        Math.ceil(seconds / 5),
      ),
    ]
  } finally {
    await it.stop()
  }
}

function orderOf(
  { url }: ServiceProcess,
  more: Pick<LoadOptions, 'asking' | 'per_s' | 'seconds' | 'first'>,
): LoadOptions {
  return { url: url.href, path: '/v1/fetch', seed: 1, token: '', ...more }
}
