import { killAtCall, createStartedFolder, type CallKillResult } from '../../test/runs/call-kills.ts'
import { afterPowerLoss } from '../../test/runs/power.ts'
import { recordOperations } from '../../test/runs/power-record.ts'
import { hasStrace } from '../../test/support/strace.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const states = 5000
/** After this many consecutive calls that were not reached, there are no more calls. */
const lastCalls = 3

/** Tests disk states after a power loss, and kills at each system call that writes. Both need strace. */
export async function testPowerLossAndKills(): Promise<Finding[]> {
  if (!hasStrace) {
    console.error('Skipped power losses and kills at each call: strace is not installed.')
    return []
  }
  return [...(await powerLoss()), ...(await callKills())]
}

async function powerLoss(): Promise<Finding[]> {
  const seed = Math.floor(Math.random() * 1e9)
  console.error(`power losses, seed ${seed}`)
  // Enough locations for a checkpoint of the write-ahead log in between.
  const steps = await recordOperations([1, 40, 450, 8, 60])
  const found = afterPowerLoss(steps, { perStep: Math.ceil(states / steps.length), every: 1, random: randomOf(seed) })
  for (const it of found.broken.slice(0, 10)) console.error(it)
  return [
    atLeast('P1', 'states after a power loss', found.states, states),
    atMost('P1', 'of them that lost an acknowledged run', found.lost, 0),
    atMost('P1, P36', 'of them that do not open, or are corrupt', found.broken.length, 0),
  ]
}

async function callKills(): Promise<Finding[]> {
  const { data, remove } = await createStartedFolder()
  const all = [...(await killedAtEach(null)), ...(await killedAtEach(data))].filter(({ how }) => how === 'killed')
  remove()
  for (const it of all) if (it.broken !== null || it.lost > 0 || it.doubled > 0) console.error(JSON.stringify(it))
  return [
    atLeast('P1', 'kills, one at each call that writes', all.length, 100),
    atMost(
      'P1',
      'of them after which the service does not start or returns no run',
      all.filter(({ broken }) => broken !== null).length,
      0,
    ),
    atMost(
      'P1',
      'runs lost by them',
      all.reduce((sum, { lost }) => sum + lost, 0),
      0,
    ),
    atMost(
      'P4',
      'runs doubled by them',
      all.reduce((sum, { doubled }) => sum + doubled, 0),
      0,
    ),
  ]
}

async function killedAtEach(before: string | null): Promise<CallKillResult[]> {
  const found: CallKillResult[] = []
  for (let call = 1; found.slice(-lastCalls).filter(({ how }) => how === 'not reached').length < lastCalls; call += 2) {
    found.push(...(await Promise.all([call, call + 1].map((it) => killAtCall(it, before)))))
  }
  return found
}
