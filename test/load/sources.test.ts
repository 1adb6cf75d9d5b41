import { expect, test } from 'bun:test'
import { billed } from '../../scripts/soak/billed.ts'
import { clock, fakeTime } from '../../scripts/soak/clock.ts'
import type { Finding } from '../../scripts/soak/finding.ts'
import { hedging } from '../../scripts/soak/hedging.ts'
import { lostWorkers } from '../../scripts/soak/lost-workers.ts'
import { spared } from '../../scripts/soak/spared.ts'

/** The short form of each proof leaves out what is a time: the machine of a test has other work. */
const broken = (findings: Finding[]) => findings.filter(({ pass, target }) => !pass && !target.endsWith(' ms'))

test('a source that asks for a pause gets one, equal questions are one call, and second tries are few when all fails', async () => {
  expect(broken(await spared(3, 2))).toEqual([])
}, 120_000)

test('no more than one call in twenty is made twice since the first is slow', async () => {
  expect(broken((await hedging(100)).slice(0, 1))).toEqual([])
}, 120_000)

test('what is billed is asked again only where a kill came into it, and is written down before', async () => {
  expect(broken(await billed(3, 1))).toEqual([])
}, 180_000)

test('a worker that dies in any of six ways fails its tile, and the next tile is decoded', async () => {
  expect(broken(await lostWorkers(1))).toEqual([])
}, 60_000)

test.skipIf(fakeTime() === null)(
  'a clock that jumps by forty days loses no run, and the age of an old answer is told',
  async () => {
    expect(broken(await clock())).toEqual([])
  },
  180_000,
)
