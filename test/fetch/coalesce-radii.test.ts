import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { coalesceRadii, type OutlineOptions } from '../../src/fetch/coalesce-radii.ts'
import { compileCondition } from '../../src/geo/sql-condition.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, Feature, FeatureQuery, Freshness, Sources } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { budget } from './fake-context.ts'

const at = { lat: 40, lng: -105 }
const feature = (distance_m: number, kind: string): Feature => ({ properties: { kind }, distance_m })
const world = [feature(0, 'a'), feature(0, 'b'), feature(3, 'b'), feature(40, 'a'), feature(400, 'c')]
const within = ({ radius_m, where, limit = Infinity }: FeatureQuery) =>
  world
    .filter(
      ({ distance_m, properties }) =>
        distance_m <= radius_m && (where === undefined || compileCondition(where)(properties)),
    )
    .slice(0, limit)

function counted(answer: (query: FeatureQuery) => Feature[] = within, outlines?: OutlineOptions) {
  const asked: FeatureQuery[] = []
  const source = (async (query: FeatureQuery) => {
    asked.push(query)
    return answer(query)
  }) as unknown as AnySource
  return { ask: coalesceRadii(source, outlines) as unknown as Sources['features'], asked }
}

describe('questions of one moment', () => {
  test('are one, over the largest radius, and each gets its own part', async () => {
    const { ask, asked } = counted()
    const parts = await Promise.all([
      ask({ at, radius_m: 5, limit: 1 }, budget),
      ask({ at, radius_m: 100, where: "kind = 'a'" }, budget),
      ask({ at, radius_m: 500 }, budget),
    ])
    expect(parts).toEqual([world.slice(0, 1), [world[0]!, world[3]!], world])
    expect(asked).toEqual([{ at, radius_m: 500 }])
  })

  test('with a condition each are asked with either of the conditions', async () => {
    const { ask, asked } = counted()
    const [a, b] = await Promise.all([
      ask({ at, radius_m: 5, where: "kind = 'a'" }, budget),
      ask({ at, radius_m: 50, where: "kind = 'b'" }, budget),
    ])
    expect([a, b]).toEqual([[world[0]!], [world[1]!, world[2]!]])
    expect(asked).toEqual([{ at, radius_m: 50, where: "(kind = 'a') OR (kind = 'b')" }])
  })

  test('what holds the point is told from what is near, when that is asked for anyway', async () => {
    const { ask, asked } = counted()
    const [here, ofKind] = await Promise.all([
      ask({ at, radius_m: 0 }, budget),
      ask({ at, radius_m: 0, where: "kind = 'a'" }, budget),
      ask({ at, radius_m: 50 }, budget),
    ])
    expect([here, ofKind]).toEqual([world.slice(0, 2), world.slice(0, 1)])
    expect(asked).toEqual([{ at, radius_m: 50 }])
  })

  test('what holds the point is asked apart from what is near under another condition', async () => {
    const { ask, asked } = counted()
    await Promise.all([ask({ at, radius_m: 0 }, budget), ask({ at, radius_m: 50, where: "kind = 'a'" }, budget)])
    expect(asked.map(({ radius_m }) => radius_m).toSorted((a, b) => a - b)).toEqual([0, 50])
  })

  test('simplified outlines do not say what holds the point, then or later', async () => {
    const { ask, asked } = counted(within, { simplified: true })
    await Promise.all([ask({ at, radius_m: 0 }, budget), ask({ at, radius_m: 50 }, budget)])
    await ask({ at, radius_m: 0, where: "kind = 'a'" }, budget)
    expect(asked.map(({ radius_m }) => radius_m)).toEqual([50, 0])
    const later = counted(within, { simplified: true })
    await later.ask({ at, radius_m: 50 }, budget)
    await later.ask({ at, radius_m: 0 }, budget)
    expect(later.asked.map(({ radius_m }) => radius_m)).toEqual([50, 0])
  })

  test('what holds the point is told from a radius where the dataset says so', async () => {
    const { ask, asked } = counted(within, { fetch_radius_m: 500 })
    const [here, near] = await Promise.all([ask({ at, radius_m: 0 }, budget), ask({ at, radius_m: 100 }, budget)])
    expect([here, near]).toEqual([world.slice(0, 2), world.slice(0, 4)])
    expect(asked).toEqual([{ at, radius_m: 500 }])
  })

  test('about two levels are two, and a number alone is asked for itself', async () => {
    const { ask, asked } = counted()
    await Promise.all([
      ask({ at, radius_m: 0, level: 1 }, budget),
      ask({ at, radius_m: 0, level: 2 }, budget),
      ask({ at, radius_m: 0, count_only: true }, budget),
    ])
    expect(asked).toHaveLength(3)
  })
})

describe('a later question', () => {
  test('that lies within what was fetched costs nothing', async () => {
    const { ask, asked } = counted()
    await ask({ at, radius_m: 100 }, budget)
    expect(await ask({ at, radius_m: 5, where: "kind = 'b'", limit: 1 }, budget)).toEqual([world[1]!])
    expect(asked).toHaveLength(1)
  })

  test('that goes farther, or was left out by a condition, is asked', async () => {
    const { ask, asked } = counted()
    await ask({ at, radius_m: 100, where: "kind = 'a'" }, budget)
    await ask({ at, radius_m: 100, where: "kind = 'b'" }, budget)
    await ask({ at, radius_m: 500 }, budget)
    expect(asked).toHaveLength(3)
  })
})

describe('when it fails', () => {
  test('all who asked have failed', async () => {
    const { ask } = counted(() => {
      throw new UpstreamError('upstream_5xx', 'Down.')
    })
    expect(
      await Promise.all([
        rejectionMessage(ask({ at, radius_m: 1 }, budget)),
        rejectionMessage(ask({ at, radius_m: 2 }, budget)),
      ]),
    ).toEqual(['upstream_5xx: Down.', 'upstream_5xx: Down.'])
  })

  test('because there is too much, the smaller questions are asked for themselves', async () => {
    const { ask, asked } = counted((query) => {
      if (query.radius_m > 100) throw new UpstreamError('too_large', 'Cut.')
      return within(query)
    })
    const [near, far] = await Promise.all([
      ask({ at, radius_m: 50 }, budget),
      rejectionMessage(ask({ at, radius_m: 500 }, budget)),
    ])
    expect([near.length, far]).toEqual([4, 'too_large: Cut.'])
    expect(asked.map(({ radius_m }) => radius_m)).toEqual([500, 50])
    expect(await ask({ at, radius_m: 3 }, budget)).toEqual(world.slice(0, 3))
    expect(await ask({ at, radius_m: 80 }, budget)).toEqual(world.slice(0, 4))
    expect(await rejectionMessage(ask({ at, radius_m: 500 }, budget))).toBe('too_large: Cut.')
    expect(asked.map(({ radius_m }) => radius_m)).toEqual([500, 50, 80])
  })
})

test('whoever asks is told how fresh the answer is, also who shares it', async () => {
  const source = (async (_query: FeatureQuery, { seen }: { seen?: (it: Freshness) => void }) => {
    seen?.({ cache: 'hit' })
    return world
  }) as unknown as AnySource
  const ask = coalesceRadii(source) as unknown as Sources['features']
  const heard: string[] = []
  const listening = {
    ...budget,
    seen: ({ cache }: Freshness) => {
      heard.push(cache)
    },
  }
  await Promise.all([ask({ at, radius_m: 1 }, listening), ask({ at, radius_m: 2 }, listening)])
  await ask({ at, radius_m: 1 }, listening)
  expect(heard).toEqual(['hit', 'hit', 'hit'])
})

test('every mixture of questions is answered as each would be alone', async () => {
  const question = fc.record(
    {
      radius_m: fc.constantFrom(0, 1, 5, 50, 500),
      where: fc.constantFrom("kind = 'a'", "kind <> 'a'"),
      limit: fc.constantFrom(1, 2),
    },
    { requiredKeys: ['radius_m'] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(question, { maxLength: 12 }),
      fc.constantFrom(undefined, 10),
      fc.boolean(),
      async (questions, fetch_radius_m, simplified) => {
        const { ask } = counted(within, { fetch_radius_m, simplified })
        const answers = await Promise.all(questions.map((it) => ask({ at, ...it }, budget)))
        expect(answers).toEqual(questions.map((it) => within({ at, ...it })))
      },
    ),
    { numRuns: 300 },
  )
})
