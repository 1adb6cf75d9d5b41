import { describe, expect, test } from 'bun:test'
import { batchConcurrency, fetchBatch, type LocatedFetchContext } from '../../src/fetch/batch.ts'
import { createAdmissionQueue } from '../../src/fetch/admission.ts'
import { ApiError } from '../../src/model/error.ts'
import type { LocationInput } from '../../src/place/locate.ts'
import { contentsOf, fieldOf } from '../support/catalog-contents.ts'
import { budget, denver, deskOf, giving } from './fake-context.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const contents = contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', attribute: 'IT' })])
const locations = (count: number): LocationInput[] => Array.from({ length: count }, (_, i) => ({ lat: i, lng: -100 }))

/** A counter that comes to a place as it is told. */
function counterOf(locate: LocatedFetchContext['locate'], admission = createAdmissionQueue(100, 100)) {
  const { desk, logged } = deskOf(contents, { areas: [giving({ IT: 'x' })] })
  const counter: LocatedFetchContext = { ...desk, locate, admission }
  const fields = [desk.catalog.fields.get('it')!]
  return {
    logged,
    gate: admission,
    answer: (where: LocationInput[], signal = budget.signal) => fetchBatch(where, fields, { signal }, counter),
  }
}
const located: LocatedFetchContext['locate'] = async ({ lat, lng }) => ({ ...denver, lat: lat!, lng: lng! })

test('every location has its entry at its own index, in whatever order they are done', async () => {
  const later: (() => void)[] = []
  const slow: LocatedFetchContext['locate'] = async (location, budget) => {
    if (location.lat === 0) await new Promise<void>((resolve) => later.push(resolve))
    else if (location.lat === 6) later.forEach((go) => go())
    return located(location, budget)
  }
  const { results } = await counterOf(slow).answer(locations(7))
  expect(results.map((it) => it.ok && [it.index, it.lat, it.fields.it!.value])).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((i) => [i, i, 'x']),
  )
})

test(`no more than ${batchConcurrency} are at work at once`, async () => {
  let [working, most] = [0, 0]
  const watched: LocatedFetchContext['locate'] = async (location, budget) => {
    most = Math.max(most, ++working)
    await new Promise((resolve) => setImmediate(resolve))
    working--
    return located(location, budget)
  }
  await counterOf(watched).answer(locations(20))
  expect(most).toBe(batchConcurrency)
})

describe('a location that cannot be answered is an entry', () => {
  test('with the error object of its refusal', async () => {
    const picky: LocatedFetchContext['locate'] = async (location, budget) => {
      if (location.lat === 1) throw new ApiError('coord_out_of_bounds', 'Too far.', { lat: 1 })
      return located(location, budget)
    }
    const { results } = await counterOf(picky).answer(locations(3))
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(results[1]).toEqual({
      index: 1,
      ok: false,
      fetched_at: '2026-11-21T12:00:00.000+00:00',
      error: { error: 'coord_out_of_bounds', message: 'Too far.', retryable: false, lat: 1 } as never,
    })
  })

  test('that says nothing of a fault of ours, which is logged', async () => {
    const broken: LocatedFetchContext['locate'] = async () => {
      throw new TypeError('undefined is not an object')
    }
    const { answer, logged } = counterOf(broken)
    const { results } = await answer(locations(2))
    expect(results.map((it) => !it.ok && it.error)).toEqual(
      [0, 1].map(() => ({
        error: 'internal_error',
        message: 'This location could not be answered, by a fault of ours.',
        retryable: false,
      })),
    )
    expect(logged.map(({ event }) => event)).toEqual(['location_error', 'location_error'])
  })

  test('when the gate is full', async () => {
    const full = createAdmissionQueue(1, 0)
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = full.run(() => promise, budget)
    const { results } = await counterOf(located, full).answer(locations(2))
    expect(results.map((it) => !it.ok && it.error.error)).toEqual(['fetch_busy', 'fetch_busy'])
    resolve()
    await held
  })
})

test('one who goes away has no answer, nothing more is begun, nothing is logged, and the gate is free', async () => {
  const leaving = new AbortController()
  const seen: number[] = []
  const leave: LocatedFetchContext['locate'] = async (location, budget) => {
    seen.push(location.lat!)
    if (location.lat === 5) leaving.abort(new Error('has gone'))
    return located(location, budget)
  }
  const { answer, logged, gate } = counterOf(leave, createAdmissionQueue(1, 10))
  expect(await rejectionMessage(answer(locations(25), leaving.signal))).toBe('has gone')
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen.length).toBeLessThanOrEqual(5 + batchConcurrency)
  expect([logged, gate.occupancy()]).toEqual([[], { working: 0, waiting: 0 }])
})
