import { expect, test } from 'bun:test'
import { openScheduler } from '../src/scheduler.ts'
import { createLog } from '../src/log.ts'

const everySecond = '* * * * * *'

function opened() {
  const logged: string[] = []
  return {
    chores: openScheduler(createLog('info', (line) => logged.push(line))),
    faults: () => logged.map((line) => JSON.parse(line) as { event: string; name: string; error: { message: string } }),
  }
}

test('a chore that fails, at once or later, is logged by its name and done again at its next time', async () => {
  const { chores, faults } = opened()
  const { promise: third, resolve } = Promise.withResolvers<void>()
  let times = 0
  chores.runOnSchedule('sweep', everySecond, () => {
    times++
    if (times === 1) throw new Error('at once')
    if (times === 2) return Promise.reject(new Error('later'))
    resolve()
  })
  await third
  chores.close()
  expect(faults()).toMatchObject(
    ['at once', 'later'].map((message) => ({ level: 'error', event: 'job_failed', name: 'sweep', error: { message } })),
  )
}, 20_000)

test('a chore that is still at work is not begun again, and another is', async () => {
  const { chores } = opened()
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: thrice, resolve } = Promise.withResolvers<void>()
  const begun = { slow: 0, other: 0 }
  chores.runOnSchedule('slow', everySecond, () => {
    begun.slow++
    return told
  })
  chores.runOnSchedule('other', everySecond, () => {
    if (++begun.other === 3) resolve()
  })
  await thrice
  chores.close()
  tell()
  expect(begun).toEqual({ slow: 1, other: 3 })
}, 20_000)
