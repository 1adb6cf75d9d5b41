import { expect, test } from 'bun:test'
import { openScheduler } from '../src/scheduler.ts'
import { createLog } from '../src/log.ts'
import { StorageError } from '../src/store/storage-error.ts'

const everySecond = '* * * * * *'

function openTestScheduler() {
  const lines: string[] = []
  return {
    scheduler: openScheduler(createLog('info', (line) => lines.push(line))),
    logged: () => lines.map((line) => JSON.parse(line) as { event: string; name: string; error: { message: string } }),
  }
}

test('a job that throws or rejects is logged by its name and runs again at its next time', async () => {
  const { scheduler, logged } = openTestScheduler()
  const { promise: thirdRun, resolve } = Promise.withResolvers<void>()
  let runs = 0
  scheduler.runOnSchedule('sweep', everySecond, () => {
    runs++
    if (runs === 1) throw new Error('at once')
    if (runs === 2) return Promise.reject(new Error('later'))
    resolve()
  })
  await thirdRun
  scheduler.close()
  expect(logged()).toMatchObject(
    ['at once', 'later'].map((message) => ({ level: 'error', event: 'job_failed', name: 'sweep', error: { message } })),
  )
})

test('a job that is still running is not started again, and other jobs are', async () => {
  const { scheduler } = openTestScheduler()
  const { promise: slowRun, resolve: finishSlowRun } = Promise.withResolvers<void>()
  const { promise: thirdRun, resolve } = Promise.withResolvers<void>()
  const starts = { slow: 0, other: 0 }
  scheduler.runOnSchedule('slow', everySecond, () => {
    starts.slow++
    return slowRun
  })
  scheduler.runOnSchedule('other', everySecond, () => {
    if (++starts.other === 3) resolve()
  })
  await thirdRun
  scheduler.close()
  finishSlowRun()
  expect(starts).toEqual({ slow: 1, other: 3 })
})

const busyError = () => new StorageError('busy')

test('a job that finds the database busy is tried again soon; another failure waits for its next time', async () => {
  const lines: string[] = []
  const scheduler = openScheduler(
    createLog('info', (line) => lines.push(line)),
    { retryAfter_ms: 1 },
  )
  const { promise: succeeded, resolve } = Promise.withResolvers<void>()
  let [busyRuns, brokenRuns] = [0, 0]
  scheduler.addRetention('busy', () => {
    if (++busyRuns < 3) throw busyError()
    resolve()
  })
  scheduler.addRetention('broken', () => {
    brokenRuns++
    throw new Error('a bug')
  })
  await scheduler.runRetention()
  await succeeded
  scheduler.close()
  expect([busyRuns, brokenRuns, lines.length]).toEqual([3, 1, 3])
})

test('retention runs every retention job once and waits for their end; hourly jobs are left alone', async () => {
  const { scheduler } = openTestScheduler()
  const ran: string[] = []
  scheduler.runHourly('hourly', () => void ran.push('hourly'))
  for (const name of ['a', 'b'])
    scheduler.addRetention(name, async () => {
      await Promise.resolve()
      ran.push(name)
    })
  await Promise.all([scheduler.runRetention(), scheduler.runRetention()])
  scheduler.close()
  expect(ran).toEqual(['a', 'b'])
})

test('a job is overdue when it has not succeeded 15 minutes after it was due', async () => {
  let time = new Date('2026-11-22T10:30:00Z')
  let isBroken = true
  const scheduler = openScheduler(
    createLog('error', () => {}),
    { now: () => time },
  )
  scheduler.addRetention('places', () => {
    if (isBroken) throw new Error('a bug')
  })
  const due_at = new Date('2026-11-22T11:00:00Z')
  for (const [now, overdue] of [
    ['2026-11-22T11:15:00Z', []],
    ['2026-11-22T11:15:01Z', [{ name: 'places', due_at }]],
  ] as const) {
    time = new Date(now)
    await scheduler.runRetention()
    expect(scheduler.overdueJobs()).toEqual([...overdue])
  }
  isBroken = false
  await scheduler.runRetention()
  expect(scheduler.overdueJobs()).toEqual([])
  scheduler.close()
})
