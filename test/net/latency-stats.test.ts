import { expect, test } from 'bun:test'
import { createHostMap } from '../../src/net/host-map.ts'
import { createLatencyStats } from '../../src/net/hedge.ts'
import { settledResult, createManualClock } from './test-client.ts'

function openStats() {
  const { clock, advance } = createManualClock()
  const stats = createLatencyStats(clock)
  const takes = (ms: number) => stats.measure('a.gov', async () => advance(ms / 1000))
  return { stats, clock, advance, takes }
}

test('p95 is known after twenty successes and covers the last hundred', async () => {
  const { stats, takes } = openStats()
  for (let ms = 1; ms <= 19; ms++) await takes(ms)
  expect(stats.p95_ms('a.gov')).toBeNull()
  await takes(20)
  expect(stats.p95_ms('a.gov')).toBeCloseTo(19)
  for (let ms = 1; ms <= 100; ms++) await takes(101 - ms)
  expect(stats.p95_ms('a.gov')).toBeCloseTo(95)
  expect(stats.p95_ms('b.gov')).toBeNull()
})

test('the smoothed latency has a weight of 20 % for new samples, and ignores failures', async () => {
  const { stats, clock, advance, takes } = openStats()
  await takes(100)
  await takes(200)
  const answered = clock.now()
  advance(10)
  await settledResult(stats.measure('a.gov', () => Promise.reject(new Error('broke'))))
  expect(stats.statsOf('a.gov')!.last_success).toEqual(answered)
  expect(stats.statsOf('a.gov')!.latency_ms).toBeCloseTo(120)
})

test('a host map holds a thousand hosts and removes the oldest', () => {
  const hosts = createHostMap((host) => ({ host }))
  for (let i = 0; i < 1001; i++) hosts.getOrCreate(`h${i}`)
  expect(hosts.find('h0')).toBeUndefined()
  expect(hosts.find('h1')).toEqual({ host: 'h1' })
  expect(hosts.find('h1000')).toEqual({ host: 'h1000' })
})
