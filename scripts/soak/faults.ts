import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { limitMemory } from './cgroup.ts'
import { addRows, budget_ms, faultRows, openFaultyWorld } from './fault-rows.ts'
import { atMost, type Finding } from './finding.ts'
import { withHealthProbe } from './health-probe.ts'
import { startService, type ServiceProcess } from './service-process.ts'
import { testTransport } from './transport.ts'

const memory_mb = 512
/** A request can have at most 50 fields. */
const fieldsMax = 50
const grace_ms = 250

/**
 * Tests the result of a field for every way in which its source can fail, on the real process, and the memory this
 * takes.
 */
export async function soakFaults(rounds = 10): Promise<Finding[]> {
  return [...(await everyRow(rounds)), ...(await testTransport())]
}

/** Tests every faulty response of a reachable server, repeated `rounds` times. */
export async function everyRow(rounds: number): Promise<Finding[]> {
  const world = await openFaultyWorld()
  const it = await startService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: world.mirror }, addRows)
  const memory = limitMemory(it.pid, memory_mb)
  try {
    const { result, health } = await withHealthProbe(it, async () => {
      const first = await outcomes(it, 0)
      const slowest_ms = await slowest(it)
      for (let round = 1; round < rounds; round++) await outcomes(it, round)
      return { wrong: wrongIn(first), slowest_ms }
    })
    for (const line of result.wrong) console.error(line)
    const after = await outcomes(it, rounds, ['row_sound'])
    return [
      atMost('P20', `faults, of ${faultRows.length}, with the wrong result`, result.wrong.length, 0),
      atMost('P20', 'answer time with sources that never finish', result.slowest_ms, {
        bound: budget_ms + grace_ms,
        unit: 'ms',
      }),
      atMost('P20', 'working sources that fail afterwards', after.row_sound === 'ok' ? 0 : 1, 0),
      atMost(
        'P13',
        `memory during ${rounds} rounds of all faults (${memory.how})`,
        memory.most_mb() ?? health.memory_mb,
        { bound: memory_mb, unit: 'MB' },
      ),
      atMost('P11', 'p99 of /healthz during all faults', health.p99_ms, { bound: 100, unit: 'ms' }),
    ]
  } finally {
    await it.stop()
    memory.remove()
    world.close()
  }
}

/** Returns the result of each row at a new location. */
async function outcomes(
  it: ServiceProcess,
  round: number,
  names = faultRows.map((_row, i) => `row_${i}`),
): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (let from = 0; from < names.length; from += fieldsMax) {
    const response = await it.post('/v1/fetch', {
      lat: 39.7 + 0.001 * round,
      lng: -105,
      fields: names.slice(from, from + fieldsMax),
    })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    for (const [name, field] of Object.entries(((await response.json()) as FetchAnswer).fields)) {
      all[name] =
        field.status === 'failed' ? `${field.error.split(':')[0]}${field.retryable ? ', retryable' : ''}` : field.status
    }
  }
  return all
}

function wrongIn(found: Record<string, string>): string[] {
  return faultRows.flatMap(({ name, fate }, i) =>
    found[`row_${i}`] === fate ? [] : [`${name}: ${found[`row_${i}`]} where ${fate} was expected`],
  )
}

/** Returns how long the fields take whose sources never finish. */
async function slowest(it: ServiceProcess): Promise<number> {
  const names = faultRows.flatMap(({ fate }, i) => (fate.startsWith('timeout') ? [`row_${i}`] : []))
  const begun = performance.now()
  await outcomes(it, 1_000, names)
  return performance.now() - begun
}
