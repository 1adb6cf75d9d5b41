import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { inLittleMemory } from './cgroup.ts'
import { addRows, budget_ms, faultRows, openFaultyWorld } from './fault-rows.ts'
import { atMost, type Finding } from './finding.ts'
import { withPulse } from './pulse.ts'
import { served, type Served } from './served.ts'
import { transport } from './transport.ts'

const memory_mb = 512
/** An answer may hold no more than fifty fields. */
const fieldsMax = 50
const grace_ms = 250

/** What a field comes to whose source fails, in every way there is, on the real process, and what it costs the process. */
export async function faults(rounds = 10): Promise<Finding[]> {
  return [...(await everyRow(rounds)), ...(await transport())]
}

/** Every fault of a server that can be reached, so many times. */
export async function everyRow(rounds: number): Promise<Finding[]> {
  const world = await openFaultyWorld()
  const it = await served({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: world.mirror }, addRows)
  const memory = inLittleMemory(it.pid, memory_mb)
  try {
    const { result, pulse } = await withPulse(it, async () => {
      const first = await outcomes(it, 0)
      const slowest_ms = await slowest(it)
      for (let round = 1; round < rounds; round++) await outcomes(it, round)
      return { wrong: wrongIn(first), slowest_ms }
    })
    for (const line of result.wrong) console.error(line)
    const after = await outcomes(it, rounds, ['row_sound'])
    return [
      atMost('P20', `faults of ${faultRows.length} that are not told as what they are`, result.wrong.length, 0),
      atMost('P20', 'the answer about sources that never end', result.slowest_ms, {
        bound: budget_ms + grace_ms,
        unit: 'ms',
      }),
      atMost('P20', 'sound sources not answered after all that', after.row_sound === 'ok' ? 0 : 1, 0),
      atMost(
        'P13',
        `memory through the whole matrix, ${rounds} times (${memory.how})`,
        memory.most_mb() ?? pulse.memory_mb,
        { bound: memory_mb, unit: 'MB' },
      ),
      atMost('P11', 'p99 of /healthz through the matrix', pulse.p99_ms, { bound: 100, unit: 'ms' }),
    ]
  } finally {
    await it.stop()
    memory.remove()
    world.close()
  }
}

/** How each row came out, at a place that nobody has asked about. */
async function outcomes(
  it: Served,
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

/** How long the fields take whose sources never end. */
async function slowest(it: Served): Promise<number> {
  const names = faultRows.flatMap(({ fate }, i) => (fate.startsWith('timeout') ? [`row_${i}`] : []))
  const begun = performance.now()
  await outcomes(it, 1_000, names)
  return performance.now() - begun
}
