import { expect, test } from 'bun:test'
import { soakBilledCalls } from '../../scripts/soak/billed.ts'
import { soakClock, fakeTime } from '../../scripts/soak/clock.ts'
import type { Finding } from '../../scripts/soak/finding.ts'
import { soakHedging } from '../../scripts/soak/hedging.ts'
import { soakLostWorkers } from '../../scripts/soak/lost-workers.ts'
import { soakCallLimits } from '../../scripts/soak/call-limits.ts'

/** The short form of each proof checks no times, because test machines are busy. */
const broken = (findings: Finding[]) => findings.filter(({ pass, target }) => !pass && !target.endsWith(' ms'))

test('a Retry-After of a source is respected, equal queries share one call, and retries stay within their budget', async () => {
  expect(broken(await soakCallLimits(3, 2))).toEqual([])
}, 120_000)

test('hedging repeats at most one call in twenty', async () => {
  expect(broken((await soakHedging(100)).slice(0, 1))).toEqual([])
}, 120_000)

test('a billed call is recorded first, and is repeated only after the process was killed', async () => {
  expect(broken(await soakBilledCalls(3, 1))).toEqual([])
}, 180_000)

test('a worker that crashes in any of six ways fails its tile, and the next tile is decoded', async () => {
  expect(broken(await soakLostWorkers(1))).toEqual([])
})

test.skipIf(fakeTime() === null)(
  'a clock that jumps by forty days loses no run, and the age of a stale answer is reported',
  async () => expect(broken(await soakClock())).toEqual([]),
  180_000,
)
