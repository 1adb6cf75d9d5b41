import { expect, test } from 'bun:test'
import { openScheduler } from '../src/scheduler.ts'
import { createLog } from '../src/log.ts'

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
}, 20_000)

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
}, 20_000)
