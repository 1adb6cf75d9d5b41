import { expect, test } from 'bun:test'
import { createYieldToEventLoop } from '../../src/async/yield-to-event-loop.ts'
import { createIncrementalTask, type TaskSteps } from '../../src/async/incremental-task.ts'

const slice_ms = 2

/** Work of so many steps of half a millisecond, and how much of it was done. */
function work(steps: number, fault?: Error) {
  const seen = { steps: 0, begun: 0 }
  function* counted(): TaskSteps<string> {
    seen.begun++
    for (let step = 0; step < steps; step++) {
      const until_ms = performance.now() + 0.5
      while (performance.now() < until_ms);
      seen.steps++
      yield
    }
    if (fault && seen.begun === 1) throw fault
    return 'done'
  }
  return { seen, counted }
}

test('what is waited for is done with breaths between, once for all who wait', async () => {
  const { seen, counted } = work(40)
  const it = createIncrementalTask(counted, createYieldToEventLoop(slice_ms))
  let turns = 0
  const others = setInterval(() => turns++, 0)
  expect([it.isDone(), await Promise.all([it.run(), it.run()]), it.isDone()]).toEqual([false, ['done', 'done'], true])
  clearInterval(others)
  expect(turns).toBeGreaterThan(2)
  expect(seen).toEqual({ steps: 40, begun: 1 })
})

test('who cannot wait does at once what is left, and those who wait have it too', async () => {
  const { seen, counted } = work(40)
  const it = createIncrementalTask(counted, createYieldToEventLoop(slice_ms))
  const waiting = it.run()
  expect(seen.steps).toBeLessThan(40)
  expect([it.runSync(), it.runSync(), await waiting]).toEqual(['done', 'done', 'done'])
  expect(seen).toEqual({ steps: 40, begun: 1 })
})

test('works that share a turn do no more in it than one', async () => {
  const loopTurn = createYieldToEventLoop(slice_ms)
  const works = [work(20), work(20), work(20)]
  const waiting = works.map(({ counted }) => createIncrementalTask(counted, loopTurn).run())
  const begunAtOnce = works.filter(({ seen }) => seen.steps > 0).length
  await Promise.all(waiting)
  expect([begunAtOnce, works.map(({ seen }) => seen.steps)]).toEqual([1, [20, 20, 20]])
})

test('what fails is told to all who wait, and begun anew by the next', async () => {
  const fault = new Error('half a file')
  const { seen, counted } = work(3, fault)
  const it = createIncrementalTask(counted, createYieldToEventLoop(slice_ms))
  expect(() => it.runSync()).toThrow(fault)
  expect(it.isDone()).toBe(false)
  expect(await it.run()).toBe('done')
  expect(seen.begun).toBe(2)
})

test('who waits for what fails hears of it', async () => {
  const fault = new Error('half a file')
  const it = createIncrementalTask(work(3, fault).counted, createYieldToEventLoop(slice_ms))
  expect(await it.run().catch((error: unknown) => error)).toBe(fault)
})
