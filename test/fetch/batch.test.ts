import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test'
import { AdmissionQueue } from '../../src/fetch/admission.ts'
import { answerBatch, batchConcurrency, batchMax_ms } from '../../src/fetch/batch.ts'
import type { BatchAnswer } from '../../src/fetch/fetch-answer.ts'
import { ApiError } from '../../src/model/error.ts'
import type { Locate, LocationInput } from '../../src/place/locate.ts'
import { contentsOf, fieldOf } from '../support/catalog-contents.ts'
import { fetchBudget, denver, createTestContext, optionReturning } from './fake-context.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const contents = contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', attribute: 'IT' })])
const locations = (count: number): LocationInput[] => Array.from({ length: count }, (_, i) => ({ lat: i, lng: -100 }))

/** A batch at the places that `locate` returns. */
function createBatch(locate: Locate, admission = new AdmissionQueue(100, 100)) {
  const { context, logged } = createTestContext(contents, { areas: [optionReturning({ IT: 'x' })] })
  const plan = context.plans.select({ fields: ['it'] }, 'none')
  return {
    logged,
    admission,
    async answer(requested: LocationInput[], signal = fetchBudget.signal): Promise<BatchAnswer> {
      const batch = await answerBatch(requested, plan, { signal }, { ...context, locate, admission })
      return JSON.parse(batch.toText()) as BatchAnswer
    },
  }
}
const locateAnywhere: Locate = async ({ lat, lng }) => ({ ...denver, lat: lat!, lng: lng! })

test('every location has its entry at its own index, regardless of the order of completion', async () => {
  const later: (() => void)[] = []
  const slow: Locate = async (location, budget) => {
    if (location.lat === 0) await new Promise<void>((resolve) => later.push(resolve))
    else if (location.lat === 6) later.forEach((go) => go())
    return locateAnywhere(location, budget)
  }
  const { results } = await createBatch(slow).answer(locations(7))
  expect(results.map((it) => it.ok && [it.index, it.lat, it.fields.it!.value])).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((i) => [i, i, 'x']),
  )
})

test(`at most ${batchConcurrency} locations are answered at a time`, async () => {
  let [working, most] = [0, 0]
  const counting: Locate = async (location, budget) => {
    most = Math.max(most, ++working)
    await new Promise((resolve) => setImmediate(resolve))
    working--
    return locateAnywhere(location, budget)
  }
  await createBatch(counting).answer(locations(20))
  expect(most).toBe(batchConcurrency)
})

afterEach(() => mock.restore())

test('a location that has not begun at the time limit of the batch is a fetch_busy entry', async () => {
  const clock_ms = performance.now.bind(performance)
  const late: Locate = async (location, budget) => {
    if (location.lat === 2) spyOn(performance, 'now').mockImplementation(() => clock_ms() + batchMax_ms)
    return locateAnywhere(location, budget)
  }
  const { results } = await createBatch(late, new AdmissionQueue(1, 100)).answer(locations(9))
  expect(results.slice(0, 3).map(({ ok }) => ok)).toEqual([true, true, true])
  expect(results.slice(-4).map((it) => !it.ok && it.error.error)).toEqual(Array.from({ length: 4 }, () => 'fetch_busy'))
  expect(JSON.stringify(results.at(-1))).toContain('time limit of 90 s')
})

describe('a location that cannot be answered is an entry', () => {
  test('with the error object of its ApiError', async () => {
    const picky: Locate = async (location, budget) => {
      if (location.lat === 1) throw new ApiError('coord_out_of_bounds', 'Too far.', { lat: 1 })
      return locateAnywhere(location, budget)
    }
    const { results } = await createBatch(picky).answer(locations(3))
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(results[1]).toEqual({
      index: 1,
      ok: false,
      fetched_at: '2026-11-21T12:00:00.000+00:00',
      error: {
        error: 'coord_out_of_bounds',
        message: 'Too far.',
        retryable: false,
        documentation_url: '/guide/errors#coord_out_of_bounds',
        lat: 1,
      } as never,
    })
  })

  test('with internal_error after an unexpected error, which is logged', async () => {
    const broken: Locate = async () => {
      throw new TypeError('undefined is not an object')
    }
    const { answer, logged } = createBatch(broken)
    const { results } = await answer(locations(2))
    expect(results.map((it) => !it.ok && it.error)).toEqual(
      [0, 1].map(() => ({
        error: 'internal_error',
        message: 'An internal error occurred at this location.',
        retryable: false,
        documentation_url: '/guide/errors#internal_error',
      })),
    )
    expect(logged.map(({ event }) => event)).toEqual(['location_error', 'location_error'])
  })

  test('when the admission queue is full', async () => {
    const full = new AdmissionQueue(1, 0)
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = full.run(() => promise, fetchBudget)
    const { results } = await createBatch(locateAnywhere, full).answer(locations(2))
    expect(results.map((it) => !it.ok && it.error.error)).toEqual(['fetch_busy', 'fetch_busy'])
    resolve()
    await held
  })
})

test('when the caller aborts, the batch rejects, starts no more locations, logs nothing, and frees its slots', async () => {
  const leaving = new AbortController()
  const seen: number[] = []
  const abortAtFifth: Locate = async (location, budget) => {
    seen.push(location.lat!)
    if (location.lat === 5) leaving.abort(new Error('has gone'))
    return locateAnywhere(location, budget)
  }
  const { answer, logged, admission } = createBatch(abortAtFifth, new AdmissionQueue(1, 10))
  expect(await rejectionMessage(answer(locations(25), leaving.signal))).toBe('has gone')
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen.length).toBeLessThanOrEqual(5 + batchConcurrency)
  expect([logged, admission.occupancy()]).toEqual([[], { working: 0, waiting: 0 }])
})
