import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { coalesceRadii, type OutlineOptions } from '../../src/fetch/sources/coalesce-radii.ts'
import { compileCondition } from '../../src/geo/text/sql-condition.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Freshness, Sources } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { fetchBudget } from './fake-context.ts'

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

function openSource(answer: (query: FeatureQuery) => Feature[] = within, outlines?: OutlineOptions) {
  const queries: FeatureQuery[] = []
  const source = (async (query: FeatureQuery) => {
    queries.push(query)
    return answer(query)
  }) as unknown as AnySource
  return { ask: coalesceRadii(source, outlines) as unknown as Sources['features'], queries }
}

describe('concurrent queries', () => {
  test('are sent as one query with the largest radius, and each gets its own part', async () => {
    const { ask, queries } = openSource()
    const parts = await Promise.all([
      ask({ at, radius_m: 5, limit: 1 }, fetchBudget),
      ask({ at, radius_m: 100, where: "kind = 'a'" }, fetchBudget),
      ask({ at, radius_m: 500 }, fetchBudget),
    ])
    expect(parts).toEqual([world.slice(0, 1), [world[0]!, world[3]!], world])
    expect(queries).toEqual([{ at, radius_m: 500 }])
  })

  test('with different conditions are sent as one query with both', async () => {
    const { ask, queries } = openSource()
    const [a, b] = await Promise.all([
      ask({ at, radius_m: 5, where: "kind = 'a'" }, fetchBudget),
      ask({ at, radius_m: 50, where: "kind = 'b'" }, fetchBudget),
    ])
    expect([a, b]).toEqual([[world[0]!], [world[1]!, world[2]!]])
    expect(queries).toEqual([{ at, radius_m: 50, where: "(kind = 'a') OR (kind = 'b')" }])
  })

  test('for the point are answered from a query for nearby features', async () => {
    const { ask, queries } = openSource()
    const [here, ofKind] = await Promise.all([
      ask({ at, radius_m: 0 }, fetchBudget),
      ask({ at, radius_m: 0, where: "kind = 'a'" }, fetchBudget),
      ask({ at, radius_m: 50 }, fetchBudget),
    ])
    expect([here, ofKind]).toEqual([world.slice(0, 2), world.slice(0, 1)])
    expect(queries).toEqual([{ at, radius_m: 50 }])
  })

  test('for the point are sent separately from a query for nearby features with another condition', async () => {
    const { ask, queries } = openSource()
    await Promise.all([
      ask({ at, radius_m: 0 }, fetchBudget),
      ask({ at, radius_m: 50, where: "kind = 'a'" }, fetchBudget),
    ])
    expect(queries.map(({ radius_m }) => radius_m).toSorted((a, b) => a - b)).toEqual([0, 50])
  })

  test('for the point are never answered from simplified outlines', async () => {
    const { ask, queries } = openSource(within, { simplified: true })
    await Promise.all([ask({ at, radius_m: 0 }, fetchBudget), ask({ at, radius_m: 50 }, fetchBudget)])
    await ask({ at, radius_m: 0, where: "kind = 'a'" }, fetchBudget)
    expect(queries.map(({ radius_m }) => radius_m)).toEqual([50, 0])
    const later = openSource(within, { simplified: true })
    await later.ask({ at, radius_m: 50 }, fetchBudget)
    await later.ask({ at, radius_m: 0 }, fetchBudget)
    expect(later.queries.map(({ radius_m }) => radius_m)).toEqual([50, 0])
  })

  test('for the point are sent with a radius when the dataset requires one', async () => {
    const { ask, queries } = openSource(within, { fetch_radius_m: 500 })
    const [here, near] = await Promise.all([
      ask({ at, radius_m: 0 }, fetchBudget),
      ask({ at, radius_m: 100 }, fetchBudget),
    ])
    expect([here, near]).toEqual([world.slice(0, 2), world.slice(0, 4)])
    expect(queries).toEqual([{ at, radius_m: 500 }])
  })

  test('for two levels are sent separately, and so is a query for the count', async () => {
    const { ask, queries } = openSource()
    await Promise.all([
      ask({ at, radius_m: 0, level: 1 }, fetchBudget),
      ask({ at, radius_m: 0, level: 2 }, fetchBudget),
      ask({ at, radius_m: 0, count_only: true }, fetchBudget),
    ])
    expect(queries).toHaveLength(3)
  })
})

describe('a later query', () => {
  test('inside an earlier one is not sent', async () => {
    const { ask, queries } = openSource()
    await ask({ at, radius_m: 100 }, fetchBudget)
    expect(await ask({ at, radius_m: 5, where: "kind = 'b'", limit: 1 }, fetchBudget)).toEqual([world[1]!])
    expect(queries).toHaveLength(1)
  })

  test('with a larger radius or another condition is sent', async () => {
    const { ask, queries } = openSource()
    await ask({ at, radius_m: 100, where: "kind = 'a'" }, fetchBudget)
    await ask({ at, radius_m: 100, where: "kind = 'b'" }, fetchBudget)
    await ask({ at, radius_m: 500 }, fetchBudget)
    expect(queries).toHaveLength(3)
  })
})

describe('when a query fails', () => {
  test('all callers that share it fail', async () => {
    const { ask } = openSource(() => {
      throw new UpstreamError('upstream_5xx', 'Down.')
    })
    expect(
      await Promise.all([
        rejectionMessage(ask({ at, radius_m: 1 }, fetchBudget)),
        rejectionMessage(ask({ at, radius_m: 2 }, fetchBudget)),
      ]),
    ).toEqual(['upstream_5xx: Down.', 'upstream_5xx: Down.'])
  })

  test('with too_large, the smaller queries are sent separately', async () => {
    const { ask, queries } = openSource((query) => {
      if (query.radius_m > 100) throw new UpstreamError('too_large', 'Cut.')
      return within(query)
    })
    const [near, far] = await Promise.all([
      ask({ at, radius_m: 50 }, fetchBudget),
      rejectionMessage(ask({ at, radius_m: 500 }, fetchBudget)),
    ])
    expect([near.length, far]).toEqual([4, 'too_large: Cut.'])
    expect(queries.map(({ radius_m }) => radius_m)).toEqual([500, 50])
    expect(await ask({ at, radius_m: 3 }, fetchBudget)).toEqual(world.slice(0, 3))
    expect(await ask({ at, radius_m: 80 }, fetchBudget)).toEqual(world.slice(0, 4))
    expect(await rejectionMessage(ask({ at, radius_m: 500 }, fetchBudget))).toBe('too_large: Cut.')
    expect(queries.map(({ radius_m }) => radius_m)).toEqual([500, 50, 80])
  })
})

test('every caller receives the freshness of the answer, including those that share it', async () => {
  const source = (async (_query: FeatureQuery, { onFreshness }: Budget) => {
    onFreshness?.({ cache: 'hit', fetched_ms: 0 })
    return world
  }) as unknown as AnySource
  const ask = coalesceRadii(source) as unknown as Sources['features']
  const observed: string[] = []
  const recordingBudget = {
    ...fetchBudget,
    onFreshness: ({ cache }: Freshness) => {
      observed.push(cache)
    },
  }
  await Promise.all([ask({ at, radius_m: 1 }, recordingBudget), ask({ at, radius_m: 2 }, recordingBudget)])
  await ask({ at, radius_m: 1 }, recordingBudget)
  expect(observed).toEqual(['hit', 'hit', 'hit'])
})

test('any mixture of queries is answered as if each were sent alone', async () => {
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
      async (mixture, fetch_radius_m, simplified) => {
        const { ask } = openSource(within, { fetch_radius_m, simplified })
        const answers = await Promise.all(mixture.map(async (query) => ask({ at, ...query }, fetchBudget)))
        expect(answers).toEqual(mixture.map((query) => within({ at, ...query })))
      },
    ),
    { numRuns: 300 },
  )
})
