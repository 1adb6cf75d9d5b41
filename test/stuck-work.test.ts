import { expect, test } from 'bun:test'
import { createLog } from '../src/log.ts'
import { openScheduler } from '../src/scheduler.ts'
import { findStuckWork } from '../src/stuck-work.ts'
import { createRestartCounter } from '../src/workers.ts'
import { openTestService } from './support/test-service.ts'

const startNothing = () => ({}) as Worker
const healthOf = (stalled_s: number) => ({
  health: async () => ({ recent_losses: 0, failed: 0, failing_runs: [], stalled_s }),
})

test('runs without an answer for a minute, workers restarted three times, and overdue jobs count as stuck', async () => {
  let time = new Date('2026-11-22T10:30:00Z')
  const scheduler = openScheduler(
    createLog('error', () => {}),
    { now: () => time },
  )
  scheduler.addRetention('places', () => {})
  const restarts = createRestartCounter()
  const [startRaster, startRun] = ['raster', 'run'].map((name) => restarts.watch(name, startNothing))
  const found = (stalled_s: number) => findStuckWork({ runs: healthOf(stalled_s), restarts, scheduler })
  for (let i = 0; i < 3; i++) startRaster!()
  for (let i = 0; i < 3; i++) startRun!()
  expect(await found(59.9)).toEqual([])
  startRaster!()
  time = new Date('2026-11-22T11:20:00Z')
  expect(await found(75.2)).toEqual([
    { kind: 'runs', name: 'runs', reason: 'There are unfinished runs, and no location was answered for 75 s.' },
    { kind: 'worker', name: 'raster', reason: 'The raster worker was restarted 3 times in the last 10 minutes.' },
    { kind: 'job', name: 'places', reason: 'The job was due at 2026-11-22T11:00:00.000Z and has not succeeded since.' },
  ])
  await scheduler.runRetention()
  expect((await found(0)).map(({ kind }) => kind)).toEqual(['worker'])
  scheduler.close()
})

test('the service names an overdue job in /readyz and counts it in the metrics', async () => {
  let offset_ms = 0
  const service = openTestService({}, { now: () => new Date(Date.now() + offset_ms) })
  const read = async () => {
    const { status, checks } = (await (await service.send('/readyz')).json()) as {
      status: string
      checks: { progress: { status: string; message?: string; stuck?: { kind: string; name: string }[] } }
    }
    const metrics = await (await service.send('/metrics')).text()
    return { ...checks.progress, status, jobs: /^fieldstone_stuck\{kind="job"\} (\d+)$/m.exec(metrics)?.[1] }
  }
  expect(await read()).toEqual({ status: 'pass', jobs: '0' })
  offset_ms = 5_400_000
  const late = await read()
  expect([late.status, late.stuck!.map(({ kind }) => kind).includes('job')]).toEqual(['warn', true])
  expect(Number(late.jobs)).toBe(late.stuck!.length)
  await service.app.runRetention()
  expect((await read()).stuck?.map(({ name }) => name) ?? []).not.toContain('places')
  await service.close()
})
