import { expect, test } from 'bun:test'
import { createHostMap } from '../../src/net/host-map.ts'
import { createLatencyStats } from '../../src/net/latency-stats.ts'
import { settledResult, createManualClock } from './test-client.ts'

function openStats() {
  const { clock, advance } = createManualClock()
  const stats = createLatencyStats(clock)
  const takes = (ms: number) => stats.measure('a.gov', async () => advance(ms / 1000))
  return { vitals: stats, clock, pass: advance, takes }
}

test('the latency that 95 of 100 calls keep below is known after twenty answers, and is that of the last hundred', async () => {
  const { vitals, takes } = openStats()
  for (let ms = 1; ms <= 19; ms++) await takes(ms)
  expect(vitals.p95_ms('a.gov')).toBeNull()
  await takes(20)
  expect(vitals.p95_ms('a.gov')).toBeCloseTo(19)
  for (let ms = 1; ms <= 100; ms++) await takes(101 - ms)
  expect(vitals.p95_ms('a.gov')).toBeCloseTo(95)
  expect(vitals.p95_ms('b.gov')).toBeNull()
})

test('the smoothed latency follows what is new by a fifth, and a failure counts as no answer', async () => {
  const { vitals, clock, pass, takes } = openStats()
  await takes(100)
  await takes(200)
  const answered = clock.now()
  pass(10)
  await settledResult(vitals.measure('a.gov', () => Promise.reject(new Error('broke'))))
  expect(vitals.statsOf('a.gov')!.last_success).toEqual(answered)
  expect(vitals.statsOf('a.gov')!.latency_ms).toBeCloseTo(120)
})

test('what is kept per host is kept for a thousand hosts, and the one that came first is forgotten', () => {
  const hosts = createHostMap((host) => ({ host }))
  for (let i = 0; i < 1001; i++) hosts.getOrCreate(`h${i}`)
  expect([hosts.find('h0'), hosts.find('h1'), hosts.find('h1000')]).toEqual([
    undefined,
    { host: 'h1' },
    { host: 'h1000' },
  ])
})
