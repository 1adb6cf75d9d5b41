import type { Static, TObject } from '@sinclair/typebox'
import { nearestCell } from '../raster/cells.ts'
import { queryContainingFeatures } from './containing-features.ts'
import { defineOperator, t } from '../operator.ts'

const levelSearch = {
  /** In ascending order. */
  levels: t.Array(t.Integer(), { minItems: 1, maxItems: 100 }),
  /** `bisect` requires that each level contains the area of all smaller levels. */
  search: t.Union([t.Literal('bisect'), t.Literal('linear')]),
}
type LevelSearch = Static<TObject<typeof levelSearch>>

/** Returns the smallest level with a feature that contains the point. null if there is none. */
export const firstLevelOperator = defineOperator({
  shape: 'features',
  args: t.Object(levelSearch),
  run(args, features, { at }, budget) {
    return findSmallestLevel(
      args,
      async (level) => (await queryContainingFeatures(features, at, { level }, budget)).length > 0,
    )
  },
})

/** Returns the smallest level whose raster cell at the point is above a value. null if there is none. */
export const firstLevelRasterOperator = defineOperator({
  shape: 'raster',
  args: t.Object({
    ...levelSearch,
    /** The cell of a level that counts is above this value. */
    above: t.Number(),
    resampling: t.Optional(t.Literal('nearest')),
  }),
  run({ above, ...search }, raster, { at }, budget) {
    return findSmallestLevel(search, async (level) => {
      const cell = nearestCell(await raster({ at, radius_cells: 0, level }, budget))
      return cell !== null && cell > above
    })
  },
})

function findSmallestLevel(
  { levels, search }: LevelSearch,
  holds: (level: number) => Promise<boolean>,
): Promise<number | null> {
  return search === 'linear' ? searchLinear(levels, holds) : searchBisect(levels, holds)
}

async function searchLinear(levels: number[], holds: (level: number) => Promise<boolean>): Promise<number | null> {
  for (const level of levels) if (await holds(level)) return level
  return null
}

async function searchBisect(levels: number[], holds: (level: number) => Promise<boolean>): Promise<number | null> {
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (await holds(levels[middle]!)) high = middle
    else low = middle + 1
  }
  return levels[low] ?? null
}
