import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createAdmissionQueue } from '../../src/fetch/admission.ts'
import { ApiError } from '../../src/model/error.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const patient = { signal: new AbortController().signal }

/** Pieces of work that end when they are told to, and what has become of each. */
function workshop(concurrency: number, queue: number) {
  let done = 0
  const gate = createAdmissionQueue(concurrency, queue, () => done++)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const start = (name: string, budget = patient) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    const result = gate.run(() => {
      begun.push(name)
      return end.promise
    }, budget)
    result.catch(() => {})
    return result
  }
  return {
    gate,
    begun,
    start,
    done: () => done,
    finish: async (name: string) => {
      ends.get(name)!.resolve(name)
      await settled()
    },
    fail: async (name: string) => {
      ends.get(name)!.reject(new Error(`${name} broke`))
      await settled()
    },
  }
}

/** Lets everything that can go on go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the gate', () => {
  test('lets so many in at once, and the others in the order they came as places become free', async () => {
    const { gate, begun, start, finish } = workshop(2, 10)
    for (const name of ['a', 'b', 'c', 'd', 'e']) void start(name)
    await settled()
    expect([begun, gate.occupancy()]).toEqual([['a', 'b'], { working: 2, waiting: 3 }])
    await finish('b')
    expect([begun, gate.occupancy()]).toEqual([['a', 'b', 'c'], { working: 2, waiting: 2 }])
    await finish('c')
    await finish('a')
    expect([begun, gate.occupancy()]).toEqual([['a', 'b', 'c', 'd', 'e'], { working: 2, waiting: 0 }])
    await finish('d')
    await finish('e')
    expect(gate.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('hands back what the work gives', async () => {
    const { start, finish } = workshop(1, 1)
    const results = [start('a'), start('b')]
    await finish('a')
    await finish('b')
    expect(await Promise.all(results)).toEqual(['a', 'b'])
  })

  test('refuses at once with fetch_busy when the queue is full, and says when to come back', async () => {
    const { gate, begun, start } = workshop(1, 1)
    void start('a')
    void start('b')
    const refusal = await start('c').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ApiError)
    expect((refusal as ApiError).detail as Record<string, unknown>).toEqual({
      error: 'fetch_busy',
      message: 'All places are taken and the queue is full: try again in a moment.',
      retryable: true,
      retry_after_s: 1,
    })
    expect([begun, gate.occupancy()]).toEqual([['a'], { working: 1, waiting: 1 }])
  })

  test('without a queue lets nobody wait', async () => {
    const { begun, start, finish } = workshop(1, 0)
    void start('a')
    expect(await rejectionMessage(start('b'))).toStartWith('All places are taken')
    await finish('a')
    void start('c')
    expect(begun).toEqual(['a', 'c'])
  })

  test('passes the place on when the work throws, at once or later', async () => {
    const { gate, begun, start, fail, finish } = workshop(1, 5)
    const broken = start('a')
    void start('b')
    await fail('a')
    expect(await rejectionMessage(broken)).toBe('a broke')
    expect([begun, gate.occupancy()]).toEqual([['a', 'b'], { working: 1, waiting: 0 }])
    await finish('b')
    expect(
      await rejectionMessage(
        gate.run(() => {
          throw new TypeError('at once')
        }, patient),
      ),
    ).toBe('at once')
    expect(gate.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('gives the place in the queue of one who goes away to the next', async () => {
    const { gate, begun, start, finish } = workshop(1, 2)
    const leaving = new AbortController()
    void start('a')
    const gone = start('b', leaving)
    void start('c')
    leaving.abort(new Error('has gone'))
    expect(await rejectionMessage(gone)).toBe('has gone')
    expect(gate.occupancy()).toEqual({ working: 1, waiting: 1 })
    void start('d')
    await finish('a')
    await finish('c')
    expect([begun, gate.occupancy()]).toEqual([['a', 'c', 'd'], { working: 1, waiting: 0 }])
  })

  test('does not let in one who has gone away before, while there is a queue', async () => {
    const { gate, begun, start } = workshop(1, 5)
    void start('a')
    const leaving = new AbortController()
    leaving.abort(new Error('gone before'))
    expect(await rejectionMessage(start('b', leaving))).toBe('gone before')
    expect([begun, gate.occupancy()]).toEqual([['a'], { working: 1, waiting: 0 }])
  })

  test('keeps the place of one who goes away at work until the work is done', async () => {
    const { gate, begun, start, finish } = workshop(1, 5)
    const leaving = new AbortController()
    void start('a')
    void start('b', leaving)
    await finish('a')
    leaving.abort()
    expect([begun, gate.occupancy()]).toEqual([['a', 'b'], { working: 1, waiting: 0 }])
    await finish('b')
    expect(gate.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('tells of each piece of work that is done, also of one that broke, and of none that was refused', async () => {
    const { start, finish, fail, done } = workshop(1, 1)
    void start('a')
    void start('b')
    void start('c')
    await finish('a')
    await fail('b')
    expect(done()).toBe(2)
  })
})

describe('the patient', () => {
  const opened = (concurrency: number, queue: number) => {
    const gate = createAdmissionQueue(concurrency, queue)
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const come = (name: string, how?: { isBackground: true }, budget = patient) =>
      gate.run(
        () => {
          begun.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        },
        budget,
        how,
      )
    const finish = async (name: string) => {
      ends.get(name)!()
      await settled()
    }
    return { gate, begun, come, finish }
  }

  test('hold a quarter of the places and no more, and are never turned away', async () => {
    const { begun, come, finish, gate } = opened(8, 0)
    for (let i = 0; i < 1000; i++) void come(`p${i}`, { isBackground: true })
    await settled()
    expect([begun, gate.occupancy()]).toEqual([['p0', 'p1'], { working: 2, waiting: 0 }])
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void come(name)
    await finish('p0')
    expect(begun).toEqual(['p0', 'p1', 'a', 'b', 'c', 'd', 'e', 'f', 'p2'])
  })

  test('stand behind everybody else', async () => {
    const { begun, come, finish } = opened(1, 2)
    void come('a')
    void come('p', { isBackground: true })
    void come('b')
    void come('c')
    for (const name of ['a', 'b', 'c']) await finish(name)
    expect(begun).toEqual(['a', 'b', 'c', 'p'])
  })

  test('leave when they give up', async () => {
    const { begun, come, finish } = opened(1, 2)
    const leaving = new AbortController()
    void come('a')
    const gone = come('p', { isBackground: true }, leaving).catch((error: unknown) => (error as Error).message)
    void come('q', { isBackground: true })
    leaving.abort(new Error('has gone'))
    expect(await gone).toBe('has gone')
    await finish('a')
    expect(begun).toEqual(['a', 'q'])
  })
})

test('whatever comes and goes, no more are at work than may be, no more wait, and nobody is forgotten', async () => {
  const step = fc.oneof(
    fc.constant('come' as const),
    fc.record({ leave: fc.nat(50) }),
    fc.record({ end: fc.nat(50), well: fc.boolean() }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (concurrency, queue, steps) => {
        const { gate, begun, start, finish, fail } = workshop(concurrency, queue)
        const guests: { name: string; leaving: AbortController; fate: string }[] = []
        const ended = new Set<string>()
        const end = async (name: string, well: boolean) => {
          ended.add(name)
          await (well ? finish(name) : fail(name))
        }
        for (const it of steps) {
          if (it === 'come') {
            const guest = { name: `g${guests.length}`, leaving: new AbortController(), fate: 'there' }
            guests.push(guest)
            start(guest.name, guest.leaving).then(
              () => (guest.fate = 'done'),
              (error: unknown) => (guest.fate = error instanceof ApiError ? 'refused' : 'gone or broken'),
            )
          } else if ('leave' in it) guests[it.leave]?.leaving.abort(new Error('gone'))
          else {
            const working = begun.filter((name) => !ended.has(name))
            if (working.length > 0) await end(working[it.end % working.length]!, it.well)
          }
          await settled()
          const { working, waiting } = gate.occupancy()
          expect(working).toBe(begun.length - ended.size)
          expect(working <= concurrency && waiting <= queue && (waiting === 0 || working === concurrency)).toBe(true)
          expect(guests.filter(({ fate }) => fate === 'there')).toHaveLength(working + waiting)
        }
        while (gate.occupancy().working > 0)
          await end(
            begun.find((name) => !ended.has(name))!,
            true,
          )
        expect([guests.filter(({ fate }) => fate === 'there'), gate.occupancy()]).toEqual([
          [],
          { working: 0, waiting: 0 },
        ])
      },
    ),
    { numRuns: 100 },
  )
})

describe('several accounts', () => {
  const opened = (concurrency: number, queue: number) => {
    const gate = createAdmissionQueue(concurrency, queue)
    const begun: string[] = []
    const refused: string[] = []
    const ends = new Map<string, () => void>()
    const come = (account: string, number: number) =>
      gate
        .forAccount(account)
        .run(() => {
          begun.push(account + number)
          return new Promise<void>((resolve) => ends.set(account + number, resolve))
        }, patient)
        .catch((error: unknown) => {
          refused.push(`${account}${number} ${(error as ApiError).code}`)
        })
    const flood = (account: string, count: number) => {
      for (let i = 0; i < count; i++) void come(account, i)
    }
    const finish = async (name: string) => {
      ends.get(name)!()
      await settled()
    }
    return { gate, begun, refused, come, flood, finish }
  }

  test('take turns when each has as many at work, however long the line of one is', async () => {
    const { begun, flood, finish } = opened(1, 10)
    flood('a', 5)
    flood('b', 2)
    flood('c', 1)
    for (const name of ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']) await finish(name)
    expect(begun).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4'])
  })

  test('the next place goes to the one that holds the fewest', async () => {
    const { begun, flood, finish } = opened(3, 10)
    flood('a', 8)
    flood('b', 3)
    for (const name of ['a0', 'a1', 'b0', 'b1']) await finish(name)
    expect(begun.slice(3)).toEqual(['b0', 'a3', 'b1', 'b2'])
  })

  test('one that comes to a full queue gets the place in it of the newest of the one that has the most', async () => {
    const { begun, refused, flood, finish, gate } = opened(1, 3)
    flood('a', 4)
    flood('b', 3)
    await settled()
    expect(refused.toSorted()).toEqual(['a3 fetch_busy', 'b1 fetch_busy', 'b2 fetch_busy'])
    expect(gate.occupancy()).toEqual({ working: 1, waiting: 3 })
    for (const name of ['a0', 'b0', 'a1']) await finish(name)
    expect(begun).toEqual(['a0', 'b0', 'a1', 'a2'])
  })

  test('one that is alone has every place and the whole queue', async () => {
    const { begun, refused, flood, gate } = opened(8, 4)
    flood('a', 13)
    await settled()
    expect([begun.length, refused, gate.occupancy()]).toEqual([8, ['a12 fetch_busy'], { working: 8, waiting: 4 }])
  })

  test('while others are about, a quarter of the places is kept from each: they need not wait for one whose work does not end', async () => {
    const { begun, come, flood, finish, gate } = opened(8, 20)
    void come('b', 0)
    await finish('b0')
    flood('a', 12)
    expect(gate.occupancy()).toEqual({ working: 6, waiting: 6 })
    void come('b', 1)
    expect(begun.at(-1)).toBe('b1')
    await finish('b1')
    await finish('a0')
    expect(begun.slice(-2)).toEqual(['b1', 'a6'])
  })

  test('whatever comes and goes, nobody waits who may come in, and whoever waits is let in at last', async () => {
    const step = fc.oneof(fc.record({ come: fc.constantFrom('a', 'b', 'c') }), fc.record({ end: fc.nat(50) }))
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 6 }),
        fc.array(step, { maxLength: 80 }),
        async (concurrency, queue, steps) => {
          const { gate, begun, refused, come, finish } = opened(concurrency, queue)
          let came = 0
          const ended = new Set<string>()
          const end = async (nth: number) => {
            const working = begun.filter((name) => !ended.has(name))
            const name = working[nth % working.length]
            if (name === undefined) return
            ended.add(name)
            await finish(name)
          }
          for (const it of steps) {
            if ('come' in it) void come(it.come, came++)
            else await end(it.end)
            await settled()
            const { working, waiting } = gate.occupancy()
            expect(working).toBe(begun.length - ended.size)
            expect([working <= concurrency, waiting <= queue, came]).toEqual([
              true,
              true,
              begun.length + waiting + refused.length,
            ])
            expect(waiting === 0 || working >= concurrency - Math.floor(concurrency / 4)).toBe(true)
          }
          while (gate.occupancy().working > 0) await end(0)
          expect(gate.occupancy()).toEqual({ working: 0, waiting: 0 })
          expect(begun.length + refused.length).toBe(came)
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('work that waits for nothing is not all begun in one turn of the loop: what has come meanwhile is heard between', async () => {
  const gate = createAdmissionQueue(8, 8)
  const begun: string[] = []
  const busily = (name: string) =>
    gate.run(async () => {
      begun.push(name)
      for (const end_ms = performance.now() + 20; performance.now() < end_ms;);
    }, patient)
  const all = Promise.all(['a', 'b', 'c'].map(busily))
  expect([begun, gate.occupancy()]).toEqual([['a'], { working: 3, waiting: 0 }])
  setImmediate(() => begun.push('another event'))
  await all
  expect(begun).toEqual(['a', 'b', 'another event', 'c'])
})
