import { expect, test } from 'bun:test'
import { billed } from '../../scripts/soak/billed.ts'
import { clock, fakeTime } from '../../scripts/soak/clock.ts'
import type { Finding } from '../../scripts/soak/finding.ts'
import { hedging } from '../../scripts/soak/hedging.ts'
import { lostWorkers } from '../../scripts/soak/lost-workers.ts'
import { spared } from '../../scripts/soak/spared.ts'

/** The short form of each proof checks no times, because test machines are busy. */
const broken = (findings: Finding[]) => findings.filter(({ pass, target }) => !pass && !target.endsWith(' ms'))

test('a Retry-After of a source is respected, equal queries share one call, and retries stay within their budget', async () => {
  expect(broken(await spared(3, 2))).toEqual([])
}, 120_000)

test('hedging repeats at most one call in twenty', async () => {
  expect(broken((await hedging(100)).slice(0, 1))).toEqual([])
}, 120_000)

test('a billed call is recorded first, and is repeated only after the process was killed', async () => {
  expect(broken(await billed(3, 1))).toEqual([])
}, 180_000)

test('a worker that crashes in any of six ways fails its tile, and the next tile is decoded', async () => {
  expect(broken(await lostWorkers(1))).toEqual([])
}, 60_000)

test.skipIf(fakeTime() === null)(
  'a clock that jumps by forty days loses no run, and the age of an old answer is told',
  async () => {
    expect(broken(await clock())).toEqual([])
  },
  180_000,
)
