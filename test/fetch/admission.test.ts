import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AdmissionQueue } from '../../src/fetch/admission.ts'
import { ApiError } from '../../src/model/error.ts'
import type { Budget } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const budget = { signal: new AbortController().signal }

/** An admission queue with named work that the test finishes or fails. */
function createWorkshop(concurrency: number, queue: number) {
  let done = 0
  const admission = new AdmissionQueue(concurrency, queue, () => done++)
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const start = (name: string, workBudget: Budget = budget) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    const result = admission.run(() => {
      started.push(name)
      return end.promise
    }, workBudget)
    result.catch(() => {})
    return result
  }
  return {
    admission,
    started,
    start,
    done: () => done,
    finish: async (name: string) => {
      ends.get(name)!.resolve(name)
      await settle()
    },
    fail: async (name: string) => {
      ends.get(name)!.reject(new Error(`${name} broke`))
      await settle()
    },
  }
}

/** Waits until all pending callbacks have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the admission queue', () => {
  test('admits work up to its concurrency, and the rest in order of arrival as slots become free', async () => {
    const { admission, started, start, finish } = createWorkshop(2, 10)
    for (const name of ['a', 'b', 'c', 'd', 'e']) void start(name)
    await settle()
    expect([started, admission.occupancy()]).toEqual([['a', 'b'], { working: 2, waiting: 3 }])
    await finish('b')
    expect([started, admission.occupancy()]).toEqual([['a', 'b', 'c'], { working: 2, waiting: 2 }])
    await finish('c')
    await finish('a')
    expect([started, admission.occupancy()]).toEqual([['a', 'b', 'c', 'd', 'e'], { working: 2, waiting: 0 }])
    await finish('d')
    await finish('e')
    expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('resolves with the result of the work', async () => {
    const { start, finish } = createWorkshop(1, 1)
    const results = [start('a'), start('b')]
    await finish('a')
    await finish('b')
    expect(await Promise.all(results)).toEqual(['a', 'b'])
  })

  test('rejects at once with fetch_busy and a retry time when the queue is full', async () => {
    const { admission, started, start } = createWorkshop(1, 1)
    void start('a')
    void start('b')
    const rejection = await start('c').catch((error: unknown) => error)
    expect(rejection).toBeInstanceOf(ApiError)
    expect((rejection as ApiError).detail as Record<string, unknown>).toEqual({
      error: 'fetch_busy',
      message: 'The service is busy and its queue is full. Try again in a moment.',
      retryable: true,
      documentation_url: '/guide/errors#fetch_busy',
      retry_after_s: 1,
    })
    expect([started, admission.occupancy()]).toEqual([['a'], { working: 1, waiting: 1 }])
  })

  test('without a queue rejects all work beyond its concurrency', async () => {
    const { started, start, finish } = createWorkshop(1, 0)
    void start('a')
    expect(await rejectionMessage(start('b'))).toStartWith('The service is busy')
    await finish('a')
    void start('c')
    expect(started).toEqual(['a', 'c'])
  })

  test('frees the slot when the work throws or rejects', async () => {
    const { admission, started, start, fail, finish } = createWorkshop(1, 5)
    const broken = start('a')
    void start('b')
    await fail('a')
    expect(await rejectionMessage(broken)).toBe('a broke')
    expect([started, admission.occupancy()]).toEqual([['a', 'b'], { working: 1, waiting: 0 }])
    await finish('b')
    expect(
      await rejectionMessage(
        admission.run(() => {
          throw new TypeError('at once')
        }, budget),
      ),
    ).toBe('at once')
    expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('removes aborted work from the queue', async () => {
    const { admission, started, start, finish } = createWorkshop(1, 2)
    const controller = new AbortController()
    void start('a')
    const aborted = start('b', controller)
    void start('c')
    controller.abort(new Error('aborted'))
    expect(await rejectionMessage(aborted)).toBe('aborted')
    expect(admission.occupancy()).toEqual({ working: 1, waiting: 1 })
    void start('d')
    await finish('a')
    await finish('c')
    expect([started, admission.occupancy()]).toEqual([['a', 'c', 'd'], { working: 1, waiting: 0 }])
  })

  test('does not queue work that is already aborted', async () => {
    const { admission, started, start } = createWorkshop(1, 5)
    void start('a')
    const controller = new AbortController()
    controller.abort(new Error('aborted before'))
    expect(await rejectionMessage(start('b', controller))).toBe('aborted before')
    expect([started, admission.occupancy()]).toEqual([['a'], { working: 1, waiting: 0 }])
  })

  test('keeps the slot of aborted work until the work ends', async () => {
    const { admission, started, start, finish } = createWorkshop(1, 5)
    const controller = new AbortController()
    void start('a')
    void start('b', controller)
    await finish('a')
    controller.abort()
    expect([started, admission.occupancy()]).toEqual([['a', 'b'], { working: 1, waiting: 0 }])
    await finish('b')
    expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('calls onDone for each piece of work that ends, fails or is rejected because the queue is full', async () => {
    const { start, finish, fail, done } = createWorkshop(1, 1)
    void start('a')
    void start('b')
    void start('c')
    await finish('a')
    await fail('b')
    expect(done()).toBe(3)
  })
})

describe('background work', () => {
  const createScenario = (concurrency: number, queue: number) => {
    const admission = new AdmissionQueue(concurrency, queue)
    const started: string[] = []
    const ends = new Map<string, () => void>()
    const submit = (name: string, options?: { isBackground: true }, workBudget: Budget = budget) =>
      admission.run(
        () => {
          started.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        },
        workBudget,
        options,
      )
    const finish = async (name: string) => {
      ends.get(name)!()
      await settle()
    }
    return { admission, started, submit, finish }
  }

  test('uses at most a quarter of the slots and is never rejected', async () => {
    const { started, submit, finish, admission } = createScenario(8, 0)
    for (let i = 0; i < 1000; i++) void submit(`p${i}`, { isBackground: true })
    await settle()
    expect([started, admission.occupancy()]).toEqual([['p0', 'p1'], { working: 2, waiting: 0 }])
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void submit(name)
    await finish('p0')
    expect(started).toEqual(['p0', 'p1', 'a', 'b', 'c', 'd', 'e', 'f', 'p2'])
  })

  test('waits behind all other work', async () => {
    const { started, submit, finish } = createScenario(1, 2)
    void submit('a')
    void submit('p', { isBackground: true })
    void submit('b')
    void submit('c')
    for (const name of ['a', 'b', 'c']) await finish(name)
    expect(started).toEqual(['a', 'b', 'c', 'p'])
  })

  test('leaves the queue when it is aborted', async () => {
    const { started, submit, finish } = createScenario(1, 2)
    const controller = new AbortController()
    void submit('a')
    const aborted = submit('p', { isBackground: true }, controller).catch((error: unknown) => (error as Error).message)
    void submit('q', { isBackground: true })
    controller.abort(new Error('aborted'))
    expect(await aborted).toBe('aborted')
    await finish('a')
    expect(started).toEqual(['a', 'q'])
  })
})

test('any sequence of events keeps the limits of working and waiting entries, and every entry ends', async () => {
  const step = fc.oneof(
    fc.constant('submit' as const),
    fc.record({ abort: fc.nat(50) }),
    fc.record({ end: fc.nat(50), isSuccess: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (concurrency, queue, steps) => {
        const { admission, started, start, finish, fail } = createWorkshop(concurrency, queue)
        const entries: { name: string; controller: AbortController; state: string }[] = []
        const ended = new Set<string>()
        const end = async (name: string, isSuccess: boolean) => {
          ended.add(name)
          await (isSuccess ? finish(name) : fail(name))
        }
        for (const event of steps) {
          if (event === 'submit') {
            const entry = { name: `g${entries.length}`, controller: new AbortController(), state: 'pending' }
            entries.push(entry)
            start(entry.name, entry.controller).then(
              () => (entry.state = 'done'),
              (error: unknown) => (entry.state = error instanceof ApiError ? 'rejected' : 'aborted or failed'),
            )
          } else if ('abort' in event) entries[event.abort]?.controller.abort(new Error('aborted'))
          else {
            const working = started.filter((name) => !ended.has(name))
            if (working.length > 0) await end(working[event.end % working.length]!, event.isSuccess)
          }
          await settle()
          const { working, waiting } = admission.occupancy()
          expect(working).toBe(started.length - ended.size)
          expect(working <= concurrency && waiting <= queue && (waiting === 0 || working === concurrency)).toBe(true)
          expect(entries.filter(({ state }) => state === 'pending')).toHaveLength(working + waiting)
        }
        while (admission.occupancy().working > 0)
          await end(
            started.find((name) => !ended.has(name))!,
            true,
          )
        expect(entries.filter(({ state }) => state === 'pending')).toEqual([])
        expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
      },
    ),
    { numRuns: 100 },
  )
})

describe('several accounts', () => {
  const createScenario = (concurrency: number, queue: number) => {
    const admission = new AdmissionQueue(concurrency, queue)
    const started: string[] = []
    const rejected: string[] = []
    const ends = new Map<string, () => void>()
    const submit = (account: string, number: number) =>
      admission
        .forAccount(account)
        .run(() => {
          started.push(account + number)
          return new Promise<void>((resolve) => ends.set(account + number, resolve))
        }, budget)
        .catch((error: unknown) => {
          rejected.push(`${account}${number} ${(error as ApiError).code}`)
        })
    const submitMany = (account: string, count: number) => {
      for (let i = 0; i < count; i++) void submit(account, i)
    }
    const finish = async (name: string) => {
      ends.get(name)!()
      await settle()
    }
    return { admission, started, rejected, submit, submitMany, finish }
  }

  test('take turns when each uses the same number of slots, regardless of their queue lengths', async () => {
    const { started, submitMany, finish } = createScenario(1, 10)
    submitMany('a', 5)
    submitMany('b', 2)
    submitMany('c', 1)
    for (const name of ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']) await finish(name)
    expect(started).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4'])
  })

  test('the next slot goes to the account that uses the fewest', async () => {
    const { started, submitMany, finish } = createScenario(3, 10)
    submitMany('a', 8)
    submitMany('b', 3)
    for (const name of ['a0', 'a1', 'b0', 'b1']) await finish(name)
    expect(started.slice(3)).toEqual(['b0', 'a3', 'b1', 'b2'])
  })

  test('at a full queue a new account displaces the newest entry of the account with the longest queue', async () => {
    const { started, rejected, submitMany, finish, admission } = createScenario(1, 3)
    submitMany('a', 4)
    submitMany('b', 3)
    await settle()
    expect(rejected.toSorted()).toEqual(['a3 fetch_busy', 'b1 fetch_busy', 'b2 fetch_busy'])
    expect(admission.occupancy()).toEqual({ working: 1, waiting: 3 })
    for (const name of ['a0', 'b0', 'a1']) await finish(name)
    expect(started).toEqual(['a0', 'b0', 'a1', 'a2'])
  })

  test('a single active account can use every slot and the whole queue', async () => {
    const { started, rejected, submitMany, admission } = createScenario(8, 4)
    submitMany('a', 13)
    await settle()
    expect(started.length).toBe(8)
    expect(rejected).toEqual(['a12 fetch_busy'])
    expect(admission.occupancy()).toEqual({ working: 8, waiting: 4 })
  })

  test('while other accounts are active, each account leaves a quarter of the slots free', async () => {
    const { started, submit, submitMany, finish, admission } = createScenario(8, 20)
    void submit('b', 0)
    await finish('b0')
    submitMany('a', 12)
    expect(admission.occupancy()).toEqual({ working: 6, waiting: 6 })
    void submit('b', 1)
    expect(started.at(-1)).toBe('b1')
    await finish('b1')
    await finish('a0')
    expect(started.slice(-2)).toEqual(['b1', 'a6'])
  })

  test('any sequence of events leaves no entry waiting that could be admitted, and every waiting entry is admitted', async () => {
    const step = fc.oneof(fc.record({ submit: fc.constantFrom('a', 'b', 'c') }), fc.record({ end: fc.nat(50) }))
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 6 }),
        fc.array(step, { maxLength: 80 }),
        async (concurrency, queue, steps) => {
          const { admission, started, rejected, submit, finish } = createScenario(concurrency, queue)
          let submitted = 0
          const ended = new Set<string>()
          const end = async (nth: number) => {
            const working = started.filter((name) => !ended.has(name))
            const name = working[nth % working.length]
            if (name === undefined) return
            ended.add(name)
            await finish(name)
          }
          for (const event of steps) {
            if ('submit' in event) void submit(event.submit, submitted++)
            else await end(event.end)
            await settle()
            const { working, waiting } = admission.occupancy()
            expect(working).toBe(started.length - ended.size)
            expect(working <= concurrency).toBe(true)
            expect(waiting <= queue).toBe(true)
            expect(submitted).toEqual(started.length + waiting + rejected.length)
            expect(waiting === 0 || working >= concurrency - Math.floor(concurrency / 4)).toBe(true)
          }
          while (admission.occupancy().working > 0) await end(0)
          expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
          expect(started.length + rejected.length).toBe(submitted)
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('synchronous work is spread over turns of the event loop, so that other events are handled in between', async () => {
  const admission = new AdmissionQueue(8, 8)
  const started: string[] = []
  const runBusyWork = (name: string) =>
    admission.run(async () => {
      started.push(name)
      for (const end_ms = performance.now() + 20; performance.now() < end_ms;);
    }, budget)
  const all = Promise.all(['a', 'b', 'c'].map(runBusyWork))
  expect([started, admission.occupancy()]).toEqual([['a'], { working: 3, waiting: 0 }])
  setImmediate(() => started.push('another event'))
  await all
  expect(started).toEqual(['a', 'b', 'another event', 'c'])
})
