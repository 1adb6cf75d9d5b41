import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { memoizePerRequest } from '../../src/fetch/memoize-per-request.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Budget } from '../../src/model/source.ts'
import { budget } from './fake-context.ts'
import { rejectionMessage } from '../operators/fakes.ts'

type Question = Record<string, unknown>
const at = { lat: 40, lng: -105 }

/** A source that answers with the number of the call, asked once for each question. */
function counted(answer: (call: number) => unknown = (call) => call) {
  const asked: Question[] = []
  const source = async (query: Question) => {
    asked.push(query)
    return answer(asked.length)
  }
  const shared = memoizePerRequest(source) as unknown as (query: Question, budget: Budget) => Promise<unknown>
  return { ask: (query: Question) => shared(query, budget), asked }
}

describe('a source that is asked once', () => {
  test('is called once for equal questions, at the same time and later', async () => {
    const { ask, asked } = counted()
    const together = await Promise.all(Array.from({ length: 20 }, () => ask({ at, radius_m: 0 })))
    expect([...together, await ask({ at, radius_m: 0 })]).toEqual(Array.from({ length: 21 }, () => 1))
    expect(asked).toEqual([{ at, radius_m: 0 }])
  })

  test('takes a question for equal whatever the order of its parts', async () => {
    const { ask, asked } = counted()
    await Promise.all([ask({ at, radius_m: 5, where: 'A = 1' }), ask({ where: 'A = 1', at, radius_m: 5 })])
    expect(asked).toHaveLength(1)
  })

  test.each<[string, Question]>([
    ['another radius', { at, radius_m: 1 }],
    ['a condition', { at, radius_m: 0, where: 'A = 1' }],
    ['a limit', { at, radius_m: 0, limit: 1 }],
    ['a level', { at, radius_m: 0, level: 1 }],
    ['only the number', { at, radius_m: 0, count_only: true }],
    ['an edition', { at, radius_cells: 0, edition: -1 }],
    ['a key', { at, key: '08031' }],
    ['nothing but the point', { at }],
    ['the same under another name', { at, radius_cells: 0 }],
  ])('is called again for another question: %s', async (_name, other) => {
    const { ask, asked } = counted()
    expect([await ask({ at, radius_m: 0 }), await ask(other), await ask({ at, radius_m: 0 })]).toEqual([1, 2, 1])
    expect(asked).toHaveLength(2)
  })

  test('fails for all who ask when it fails, and is not asked again', async () => {
    const { ask, asked } = counted(() => {
      throw new UpstreamError('timeout', 'Slow.')
    })
    const results = await Promise.allSettled([ask({ at }), ask({ at })])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await rejectionMessage(ask({ at }))).toBe('timeout: Slow.')
    expect(asked).toHaveLength(1)
  })

  test('is called as often as there are different questions, in any mixture of them', async () => {
    const question = fc.record(
      { radius_m: fc.integer({ min: 0, max: 3 }), where: fc.constantFrom('A', 'B'), limit: fc.constantFrom(1, 2) },
      { requiredKeys: ['radius_m'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(question, { maxLength: 40 }), async (questions) => {
        const { ask, asked } = counted()
        const answers = await Promise.all(questions.map((it) => ask({ at, ...it })))
        const form = ({ radius_m, where, limit }: (typeof questions)[number]) =>
          JSON.stringify([radius_m, where, limit])
        expect(asked).toHaveLength(new Set(questions.map(form)).size)
        expect(
          answers.every(
            (answer, i) => form(questions[i]!) === form(asked[Number(answer) - 1] as (typeof questions)[number]),
          ),
        ).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
