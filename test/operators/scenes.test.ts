import { describe, expect, test } from 'bun:test'
import { scenesOperator } from '../../src/operators/raster/scenes.ts'
import {
  recordingSource,
  fieldQuery,
  fakePoint,
  fakeBudget,
  failingSource,
  rejectionMessage,
  type Args,
} from './fakes.ts'

const offset = { dn: -1000, when: '"s2:processing_baseline" >= 4' }
const ndvi = {
  expression: '(nir-red)/(nir+red)',
  window_days: 60,
  scale: 0.0001,
  mask_keep: [4, 5, 6, 7],
  reducer: 'median',
  max_items: 6,
  max_cloud_pct: 60,
} as const
type Scene = Record<string, unknown>

/** A scene with reflectances for a given NDVI, in the raw numbers of its processing baseline. */
const scene = (
  day: string,
  value: number,
  { 's2:processing_baseline': baseline = '05.11', ...more }: Scene = {},
): Scene => {
  const added = Number(baseline) >= 4 ? 1000 : 0
  return {
    id: day,
    datetime: `${day}T17:59:19Z`,
    's2:processing_baseline': baseline,
    red: added + 1000 * (1 - value),
    nir: added + 1000 * (1 + value),
    mask: 4,
    ...more,
  }
}
type Search = { from: string; to: string; max_items: number; max_cloud_pct?: number }
const sourceOf = (scenesFor: (search: Search) => unknown) =>
  recordingSource<{ key?: string }, unknown>(({ key }) => scenesFor(JSON.parse(key!) as Search))
const run = (args: Partial<Args<typeof scenesOperator>>, source: ReturnType<typeof sourceOf>) =>
  scenesOperator.run({ ...ndvi, mask_keep: [4, 5, 6, 7], offset, ...args }, source, fieldQuery, fakeBudget)
const searches = (source: ReturnType<typeof sourceOf>) => source.queries.map(({ key }) => JSON.parse(key!) as Search)

describe('scenes', () => {
  test('sends a query for the days of the window that stays the same all day', async () => {
    const source = sourceOf(() => [])
    await run({}, source)
    expect(source.queries).toEqual([
      { at: fakePoint, key: '{"from":"2026-04-02","to":"2026-06-01","max_items":6,"max_cloud_pct":60}' },
    ] as never)
  })

  test('is the median of the clear scenes', async () => {
    const three = [
      scene('2026-05-21', 0.2),
      scene('2026-05-16', 0.9, { mask: 9 }),
      scene('2026-05-11', 0.6),
      scene('2026-05-06', 0.5),
    ]
    expect(
      await run(
        {},
        sourceOf(() => three),
      ),
    ).toBeCloseTo(0.5)
    expect(
      await run(
        {},
        sourceOf(() => three.slice(0, 3)),
      ),
    ).toBeCloseTo(0.4)
  })

  test('applies the offset only to scenes that match its condition', async () => {
    const source = sourceOf(() => [
      scene('2022-01-20', 0.5, { 's2:processing_baseline': '03.01' }),
      scene('2022-01-26', 0.5, { 's2:processing_baseline': '04.00' }),
    ])
    expect(await run({}, source)).toBeCloseTo(0.5)
    const { 's2:processing_baseline': _, ...ancient } = scene('2018-01-01', 0.5, { 's2:processing_baseline': '02.07' })
    expect(
      await run(
        {},
        sourceOf(() => [ancient]),
      ),
    ).toBeCloseTo(0.5)
  })

  test('scales raw numbers', async () => {
    expect(
      await run(
        { expression: 'nir' },
        sourceOf(() => [scene('2026-05-21', 0.5)]),
      ),
    ).toBeCloseTo(0.15)
  })

  test('treats negative reflectances as 0, so that dark water stays within the range of an index', async () => {
    expect(
      await run(
        {},
        sourceOf(() => [scene('2026-05-21', 0, { red: 1005, nir: 980 })]),
      ),
    ).toBe(-1)
  })

  test('a scene without data in a band is not clear', async () => {
    expect(
      await run(
        {},
        sourceOf(() => [scene('2026-05-21', 0.9, { nir: null }), scene('2026-05-11', 0.3)]),
      ),
    ).toBeCloseTo(0.3)
  })

  test('is absent without a clear scene', async () => {
    expect(
      await run(
        {},
        sourceOf(() => [scene('2026-05-21', 0.5, { mask: 3 })]),
      ),
    ).toBeNull()
    expect(
      await run(
        {},
        sourceOf(() => []),
      ),
    ).toBeNull()
  })

  test('is a property of the newest clear scene', async () => {
    const source = sourceOf(() => [
      scene('2026-05-21', 0.5, { mask: 8 }),
      scene('2026-05-16', 0.5),
      scene('2026-05-11', 0.5),
    ])
    const { expression: _, reducer: _r, scale: _s, ...dated } = ndvi
    const args = { ...dated, mask_keep: [4, 5, 6, 7], property: 'datetime', transform: 'iso_date' }
    expect(await scenesOperator.run(args, source, fieldQuery, fakeBudget)).toBe('2026-05-16')
    expect(
      await scenesOperator.run(
        args,
        sourceOf(() => []),
        fieldQuery,
        fakeBudget,
      ),
    ).toBeNull()
  })
})

describe('scenes further back', () => {
  test('are not requested if the window has a clear scene', async () => {
    const source = sourceOf(() => [scene('2026-05-21', 0.5)])
    await run({ fallback_days: 150 }, source)
    expect(source.queries).toHaveLength(1)
  })

  test('are those before the oldest scene of the window', async () => {
    const source = sourceOf(({ to }) =>
      to === '2026-06-01'
        ? [scene('2026-05-21', 0.5, { mask: 9 }), scene('2026-05-16', 0.5, { mask: 9 })]
        : [scene('2026-03-02', 0.25)],
    )
    expect(await run({ fallback_days: 150 }, source)).toBeCloseTo(0.25)
    expect(searches(source)[1]).toMatchObject({ from: '2026-01-02', to: '2026-05-15' })
  })

  test('are those before the window if it is empty, and absent without a clear scene', async () => {
    const source = sourceOf(() => [])
    expect(await run({ fallback_days: 150 }, source)).toBeNull()
    expect(searches(source).map(({ from, to }) => [from, to])).toEqual([
      ['2026-04-02', '2026-06-01'],
      ['2026-01-02', '2026-04-01'],
    ])
  })
})

describe('scenes of two years', () => {
  const change = { shift_years: [0, -5], combine: 'difference', fallback_days: 90 } as const
  const changed = (source: ReturnType<typeof sourceOf>) => run({ ...change, shift_years: [0, -5] }, source)

  test('are compared over the same days', async () => {
    const source = sourceOf(({ to }) => [
      to.startsWith('2026')
        ? scene('2026-05-21', 0.6)
        : scene('2021-05-21', 0.2, { 's2:processing_baseline': '02.12' }),
    ])
    expect(await changed(source)).toBeCloseTo(0.4)
    expect(searches(source).map(({ from, to }) => [from, to])).toEqual([
      ['2026-04-02', '2026-06-01'],
      ['2021-04-02', '2021-06-01'],
    ])
  })

  test('are both searched further back if one has no clear scene, so that the season is the same', async () => {
    const source = sourceOf(({ from, to }) =>
      from === '2021-04-02' ? [] : [scene(to, to.startsWith('2026') ? 0.6 : 0.2)],
    )
    expect(await changed(source)).toBeCloseTo(0.4)
    expect(
      searches(source)
        .slice(2)
        .map(({ from }) => from),
    ).toEqual(['2026-03-03', '2021-03-03'])
  })

  test('are absent if one year has no clear scene', async () => {
    expect(await changed(sourceOf(({ to }) => (to.startsWith('2026') ? [scene('2026-05-21', 0.6)] : [])))).toBeNull()
  })

  test('compare 29 February with 1 March', async () => {
    const source = sourceOf(() => [])
    await scenesOperator.run(
      { ...ndvi, mask_keep: [4], shift_years: [0, -5] },
      source,
      { ...fieldQuery, now: new Date('2028-02-29T12:00:00Z') },
      fakeBudget,
    )
    expect(searches(source).map(({ to }) => to)).toEqual(['2028-02-29', '2023-03-01'])
  })
})

describe('scenes reject', () => {
  test.each<[string, unknown]>([
    ['no list', {}],
    ['a scene without its time', [{ id: 'a' }]],
    ['a scene that is none', [null]],
    ['a band that is a list', [scene('2026-05-21', 0.5, { nir: [1] })]],
  ])('%s', async (_, document) => {
    expect(
      await rejectionMessage(
        run(
          {},
          sourceOf(() => document),
        ),
      ),
    ).toStartWith('bad_response: ')
  })

  test('a scene without a band of the expression', async () => {
    const { nir: _, ...without } = scene('2026-05-21', 0.5)
    expect(
      await rejectionMessage(
        run(
          {},
          sourceOf(() => [without]),
        ),
      ),
    ).toStartWith('bad_response: ')
  })

  test('a band that is text', async () => {
    expect(
      await rejectionMessage(
        run(
          {},
          sourceOf(() => [scene('2026-05-21', 0.5, { nir: 'dark' })]),
        ),
      ),
    ).toStartWith('bad_value: ')
  })

  test('to replace a failing source', async () => {
    expect(
      await rejectionMessage(scenesOperator.run({ ...ndvi, mask_keep: [4] }, failingSource, fieldQuery, fakeBudget)),
    ).toBe('timeout: No answer.')
  })
})
