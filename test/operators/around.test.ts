import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import { noneWithinRadius } from '../../src/model/outcome.ts'
import type { Feature, FeatureQuery } from '../../src/model/source.ts'
import { aggregateOperator } from '../../src/operators/aggregate.ts'
import { countOperator } from '../../src/operators/features/count.ts'
import {
  nearestAttributeOperator,
  nearestDistanceOperator,
  nearestFractionOperator,
} from '../../src/operators/features/nearest.ts'
import {
  recordingSource,
  fieldQuery,
  fakePoint,
  fakeBudget,
  failingSource,
  testFeature,
  rejectionMessage,
} from './fakes.ts'

const featureSource = (...features: Feature[]) =>
  recordingSource(({ radius_m, limit = Infinity }: FeatureQuery) =>
    features.filter(({ distance_m }) => distance_m <= radius_m).slice(0, limit),
  )
const search_radii_m = [100, 1000]

describe('the nearest feature', () => {
  test('is searched in growing radii with a limit of one feature', async () => {
    const source = featureSource(testFeature({}, 500))
    expect(await nearestDistanceOperator.run({ search_radii_m, where: 'a = 1' }, source, fieldQuery, fakeBudget)).toBe(
      500,
    )
    expect(source.queries).toEqual([
      { at: fakePoint, radius_m: 100, where: 'a = 1', limit: 1 },
      { at: fakePoint, radius_m: 1000, where: 'a = 1', limit: 1 },
    ])
  })

  test('within the first radius ends the search', async () => {
    const source = featureSource(testFeature({}, 100))
    expect(await nearestDistanceOperator.run({ search_radii_m }, source, fieldQuery, fakeBudget)).toBe(100)
    expect(source.queries.length).toBe(1)
  })

  test('beyond the current radius is ignored', async () => {
    const unlimitedSource = recordingSource<FeatureQuery, Feature[]>(() => [testFeature({ n: 'far' }, 1500)])
    expect(await nearestDistanceOperator.run({ search_radii_m }, unlimitedSource, fieldQuery, fakeBudget)).toBe(
      noneWithinRadius,
    )
    expect(
      await nearestDistanceOperator.run({ search_radii_m: [100, 2000] }, unlimitedSource, fieldQuery, fakeBudget),
    ).toBe(1500)
  })

  test('not found in the last radius is "none within radius" for every operator', async () => {
    for (const nothing of [
      await nearestDistanceOperator.run({ search_radii_m }, featureSource(), fieldQuery, fakeBudget),
      await nearestAttributeOperator.run({ attribute: 'n', search_radii_m }, featureSource(), fieldQuery, fakeBudget),
      await nearestFractionOperator.run({ search_radii_m }, featureSource(), fieldQuery, fakeBudget),
    ])
      expect(nothing).toBe(noneWithinRadius)
  })

  test('without radii is one query without a limit', async () => {
    const source = featureSource(testFeature({}, 2e6))
    expect(await nearestDistanceOperator.run({ search_radii_m: null }, source, fieldQuery, fakeBudget)).toBe(2e6)
    expect(source.queries).toEqual([{ at: fakePoint, radius_m: Infinity, limit: 1 }])
  })

  test('is queried identically for distance, attribute and fraction, so that they share one response', async () => {
    const source = recordingSource<FeatureQuery, Feature[]>(() => [
      { ...testFeature({ NAME: 'Platte', v: -9 }, 7), fraction: 0.25 },
    ])
    const search = { search_radii_m, where: "fcode LIKE '460%'" }
    expect(await nearestDistanceOperator.run(search, source, fieldQuery, fakeBudget)).toBe(7)
    expect(
      await nearestAttributeOperator.run(
        { attribute: 'name', sentinels: [-9], ...search },
        source,
        fieldQuery,
        fakeBudget,
      ),
    ).toBe('Platte')
    expect(
      await nearestAttributeOperator.run(
        { attribute: 'v', sentinels: [-9], ...search },
        source,
        fieldQuery,
        fakeBudget,
      ),
    ).toBeNull()
    expect(await nearestFractionOperator.run(search, source, fieldQuery, fakeBudget)).toBe(0.25)
    expect(source.queries).toEqual(
      Array.from({ length: 4 }, () => ({ at: fakePoint, radius_m: 100, where: search.where, limit: 1 })),
    )
  })

  test('without a fraction or without the attribute is an error of the source', async () => {
    expect(
      await rejectionMessage(
        nearestFractionOperator.run({ search_radii_m }, featureSource(testFeature({}, 1)), fieldQuery, fakeBudget),
      ),
    ).toStartWith('unsupported_request: ')
    expect(
      await rejectionMessage(
        nearestAttributeOperator.run(
          { attribute: 'x', search_radii_m },
          featureSource(testFeature({}, 1)),
          fieldQuery,
          fakeBudget,
        ),
      ),
    ).toStartWith('schema_changed: ')
  })

  test.each(['<Null>', -9999])('of which a formula would compute with %p fails, unless it is a sentinel', async (v) => {
    const source = featureSource(testFeature({ v }, 1))
    const args = { expression: "v == 1 ? 'one' : 'other'", search_radii_m }
    expect(await rejectionMessage(nearestAttributeOperator.run(args, source, fieldQuery, fakeBudget))).toStartWith(
      'bad_value: ',
    )
    const declared = { ...args, sentinels: [v] }
    expect(await nearestAttributeOperator.run(declared, source, fieldQuery, fakeBudget)).toBe('other')
  })

  test('of a failing source fails without querying a larger radius', async () => {
    let calls = 0
    const down = recordingSource<FeatureQuery, Feature[]>(() => {
      calls++
      throw new UpstreamError('timeout', 'No answer.')
    })
    expect(
      await rejectionMessage(nearestDistanceOperator.run({ search_radii_m }, down, fieldQuery, fakeBudget)),
    ).toContain('No answer.')
    expect(calls).toBe(1)
  })
})

describe('count', () => {
  test('is the number of features within the radius, and 0 without any', async () => {
    expect(
      await countOperator.run(
        { radius_m: 500 },
        featureSource(testFeature({}, 1), testFeature({}, 400), testFeature({}, 600)),
        fieldQuery,
        fakeBudget,
      ),
    ).toBe(2)
    expect(await countOperator.run({ radius_m: 500 }, featureSource(), fieldQuery, fakeBudget)).toBe(0)
  })

  test('counts features with one value of `distinct` once', async () => {
    const tracks = [testFeature({ SID: 'a' }), testFeature({ SID: 'b' }), testFeature({ SID: 'a' })]
    expect(
      await countOperator.run({ radius_m: 500, distinct: 'sid' }, featureSource(...tracks), fieldQuery, fakeBudget),
    ).toBe(2)
    expect(
      await rejectionMessage(
        countOperator.run({ radius_m: 500, distinct: 'id' }, featureSource(...tracks), fieldQuery, fakeBudget),
      ),
    ).toStartWith('schema_changed: ')
  })

  test('fails if a placeholder stands in place of what is counted once', async () => {
    const tracks = ['<Null>', '<Null>'].map((sid) => testFeature({ sid }, 10))
    expect(
      await rejectionMessage(
        countOperator.run({ radius_m: 500, distinct: 'sid' }, featureSource(...tracks), fieldQuery, fakeBudget),
      ),
    ).toBe('bad_value: The source returned "<Null>" in place of a value.')
  })

  test('sets `count_only`, except with `distinct`', async () => {
    const source = featureSource()
    await countOperator.run({ radius_m: 500, where: 'a = 1', count_only: true }, source, fieldQuery, fakeBudget)
    await countOperator.run({ radius_m: 500, distinct: 'id', count_only: true }, source, fieldQuery, fakeBudget)
    expect(source.queries as unknown[]).toEqual([
      { at: fakePoint, radius_m: 500, where: 'a = 1', count_only: true },
      { at: fakePoint, radius_m: 500 },
    ])
  })

  test('of a failing source fails and is not 0', async () => {
    expect(
      await rejectionMessage(countOperator.run({ radius_m: 500 }, failingSource, fieldQuery, fakeBudget)),
    ).toContain('No answer.')
  })
})

describe('aggregate', () => {
  const hail = [
    testFeature({ mag: 1 }),
    testFeature({ mag: '2.5' }),
    testFeature({ mag: -9 }),
    testFeature({ mag: null }),
  ]
  const args = { attribute: 'mag', reducer: 'max' as const, radius_m: 40_000 }

  test.each([
    ['max', 2.5],
    ['min', -9],
    ['sum', -5.5],
    ['mean', -5.5 / 3],
    ['count', 3],
    ['count_distinct', 3],
  ] as const)('the %s of the features within the radius is %p', async (reducer, value) => {
    expect(await aggregateOperator.run({ ...args, reducer }, featureSource(...hail), fieldQuery, fakeBudget)).toBe(
      value,
    )
  })

  test('is scaled and ignores sentinels', async () => {
    expect(
      await aggregateOperator.run({ ...args, scale: 2.54 }, featureSource(...hail), fieldQuery, fakeBudget),
    ).toBeCloseTo(6.35, 12)
    expect(
      await aggregateOperator.run(
        { ...args, reducer: 'min', sentinels: [-9] },
        featureSource(...hail),
        fieldQuery,
        fakeBudget,
      ),
    ).toBe(1)
  })

  test('without features is "none within radius", and without values is null', async () => {
    expect(await aggregateOperator.run(args, featureSource(), fieldQuery, fakeBudget)).toBe(noneWithinRadius)
    expect(
      await aggregateOperator.run(args, featureSource(testFeature({ mag: null })), fieldQuery, fakeBudget),
    ).toBeNull()
  })

  test('of text is an error', async () => {
    expect(
      await rejectionMessage(
        aggregateOperator.run(args, featureSource(testFeature({ mag: 'big' })), fieldQuery, fakeBudget),
      ),
    ).toStartWith('bad_value: ')
  })
})
