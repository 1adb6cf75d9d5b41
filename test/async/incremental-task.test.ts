import { expect, test } from 'bun:test'
import { createYieldToEventLoop, createIncrementalTask, type TaskSteps } from '../../src/async/incremental-task.ts'

const slice_ms = 2

/** A task of steps that take half a millisecond each, and its progress. The first run throws the error, if given. */
function createTaskSteps(stepCount: number, error?: Error) {
  const progress = { steps: 0, starts: 0 }
  function* run(): TaskSteps<string> {
    progress.starts++
    for (let step = 0; step < stepCount; step++) {
      const until_ms = performance.now() + 0.5
      while (performance.now() < until_ms);
      progress.steps++
      yield
    }
    if (error && progress.starts === 1) throw error
    return 'done'
  }
  return { progress, run }
}

test('run yields to the event loop between the steps, and concurrent callers share one run', async () => {
  const { progress, run } = createTaskSteps(40)
  const task = createIncrementalTask(run, createYieldToEventLoop(slice_ms))
  let turns = 0
  const interval = setInterval(() => turns++, 0)
  expect(task.isDone()).toBe(false)
  expect(await Promise.all([task.run(), task.run()])).toEqual(['done', 'done'])
  expect(task.isDone()).toBe(true)
  clearInterval(interval)
  expect(turns).toBeGreaterThan(2)
  expect(progress).toEqual({ steps: 40, starts: 1 })
})

test('runSync runs the remaining steps at once, and pending runs resolve too', async () => {
  const { progress, run } = createTaskSteps(40)
  const task = createIncrementalTask(run, createYieldToEventLoop(slice_ms))
  const pending = task.run()
  expect(progress.steps).toBeLessThan(40)
  expect([task.runSync(), task.runSync(), await pending]).toEqual(['done', 'done', 'done'])
  expect(progress).toEqual({ steps: 40, starts: 1 })
})

test('tasks that share a time slice do no more work in it than one task', async () => {
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const tasks = [createTaskSteps(20), createTaskSteps(20), createTaskSteps(20)]
  const pending = tasks.map(({ run }) => createIncrementalTask(run, yieldToEventLoop).run())
  const startedInFirstSlice = tasks.filter(({ progress }) => progress.steps > 0).length
  await Promise.all(pending)
  expect([startedInFirstSlice, tasks.map(({ progress }) => progress.steps)]).toEqual([1, [20, 20, 20]])
})

test('after an error the next call starts the task again', async () => {
  const error = new Error('half a file')
  const { progress, run } = createTaskSteps(3, error)
  const task = createIncrementalTask(run, createYieldToEventLoop(slice_ms))
  expect(() => task.runSync()).toThrow(error)
  expect(task.isDone()).toBe(false)
  expect(await task.run()).toBe('done')
  expect(progress.starts).toBe(2)
})

test('run rejects with the error of the task', async () => {
  const error = new Error('half a file')
  const task = createIncrementalTask(createTaskSteps(3, error).run, createYieldToEventLoop(slice_ms))
  expect(await task.run().catch((thrown: unknown) => thrown)).toBe(error)
})
