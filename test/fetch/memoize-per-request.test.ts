import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { memoizePerRequest } from '../../src/fetch/sources/memoize-per-request.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Budget } from '../../src/model/source.ts'
import { fetchBudget } from './fake-context.ts'
import { rejectionMessage } from '../operators/fakes.ts'

type Query = Record<string, unknown>
const at = { lat: 40, lng: -105 }

/** A memoized source that answers with the number of the call. */
function openSource(answer: (call: number) => unknown = (call) => call) {
  const calls: Query[] = []
  const source = async (query: Query) => {
    calls.push(query)
    return answer(calls.length)
  }
  const shared = memoizePerRequest(source) as unknown as (query: Query, budget: Budget) => Promise<unknown>
  return { ask: (query: Query) => shared(query, fetchBudget), calls }
}

describe('a memoized source', () => {
  test('is called once for equal queries, concurrent or later', async () => {
    const { ask, calls } = openSource()
    const together = await Promise.all(Array.from({ length: 20 }, () => ask({ at, radius_m: 0 })))
    expect([...together, await ask({ at, radius_m: 0 })]).toEqual(Array.from({ length: 21 }, () => 1))
    expect(calls).toEqual([{ at, radius_m: 0 }])
  })

  test('ignores the order of the members of a query', async () => {
    const { ask, calls } = openSource()
    await Promise.all([ask({ at, radius_m: 5, where: 'A = 1' }), ask({ where: 'A = 1', at, radius_m: 5 })])
    expect(calls).toHaveLength(1)
  })

  test.each<[string, Query]>([
    ['another radius', { at, radius_m: 1 }],
    ['a condition', { at, radius_m: 0, where: 'A = 1' }],
    ['a limit', { at, radius_m: 0, limit: 1 }],
    ['a level', { at, radius_m: 0, level: 1 }],
    ['only the number', { at, radius_m: 0, count_only: true }],
    ['an edition', { at, radius_cells: 0, edition: -1 }],
    ['a key', { at, key: '08031' }],
    ['nothing but the point', { at }],
    ['the same under another name', { at, radius_cells: 0 }],
  ])('is called again for a different query: %s', async (_name, other) => {
    const { ask, calls } = openSource()
    expect([await ask({ at, radius_m: 0 }), await ask(other), await ask({ at, radius_m: 0 })]).toEqual([1, 2, 1])
    expect(calls).toHaveLength(2)
  })

  test('repeats its error without another call', async () => {
    const { ask, calls } = openSource(() => {
      throw new UpstreamError('timeout', 'Slow.')
    })
    const results = await Promise.allSettled([ask({ at }), ask({ at })])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await rejectionMessage(ask({ at }))).toBe('timeout: Slow.')
    expect(calls).toHaveLength(1)
  })

  test('is called once per different query, in any mixture', async () => {
    const question = fc.record(
      { radius_m: fc.integer({ min: 0, max: 3 }), where: fc.constantFrom('A', 'B'), limit: fc.constantFrom(1, 2) },
      { requiredKeys: ['radius_m'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(question, { maxLength: 40 }), async (queries) => {
        const { ask, calls } = openSource()
        const answers = await Promise.all(queries.map((query) => ask({ at, ...query })))
        const form = ({ radius_m, where, limit }: (typeof queries)[number]) => JSON.stringify([radius_m, where, limit])
        expect(calls).toHaveLength(new Set(queries.map(form)).size)
        expect(
          answers.every(
            (answer, i) => form(queries[i]!) === form(calls[Number(answer) - 1] as (typeof queries)[number]),
          ),
        ).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
