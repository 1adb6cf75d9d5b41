import { expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { hasStrace } from '../support/strace.ts'
import { killAtCall, createStartedFolder } from './call-kills.ts'
import { afterPowerLoss } from './power.ts'
import { recordOperations } from './power-record.ts'

const seed = 20_261_121

test.skipIf(!hasStrace)(
  'after a power loss at any moment, with any unwritten sectors, the database opens and has every acknowledged run',
  async () => {
    const steps = await recordOperations([3, 5])
    expect(steps.filter(({ do: it }) => it === 'tell')).toHaveLength(4)
    const { states, ...rest } = afterPowerLoss(steps, { perStep: 3, every: 5, random: randomOf(seed) })
    expect(states).toBeGreaterThan(100)
    expect(rest).toEqual({ lost: 0, broken: [] })
  },
)

test.skipIf(!hasStrace)(
  'killed at any write call, during the first start or later, the server starts again and has each run once',
  async () => {
    const { data, remove } = await createStartedFolder()
    const found = [await killAtCall(2, null), await killAtCall(60, null), await killAtCall(30, data)]
    remove()
    expect(found).toEqual([2, 60, 30].map((call) => ({ call, how: 'killed', broken: null, lost: 0, doubled: 0 })))
  },
  120_000,
)
