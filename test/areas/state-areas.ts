import type { App } from '../../src/app.ts'
import { joinPieces } from '../../src/areas/shape/partition.ts'
import { allOf } from '../../src/async/maybe-promise.ts'
import { noDeadline } from '../../src/async/deadline.ts'
import { Overlay } from '../../src/geo/overlay/overlay.ts'

/**
 * The counties of a state. `sum_m2`: their areas, added; `union_m2`: the area of their union. Of those whose area the
 * Census Bureau publishes, `outline_m2` is the sum of the outlines and `published_m2` that of land and water.
 */
type StateAreas = { sum_m2: number; union_m2: number; outline_m2: number; published_m2: number }

/** Measures the embedded counties of a state, each by itself and as a union. */
export async function stateAreasOf({ registry }: Pick<App, 'registry'>, usps: string): Promise<StateAreas> {
  const { area } = registry.dataset('census_counties').options.find((option) => option.area)!
  const extent = { west: -180, south: -90, east: 180, north: 90 }
  const counties = joinPieces(await area!.features({ extent, where: `STUSPS = '${usps}'` }, noDeadline))
  const overlay = new Overlay(extent)
  const measured = await Promise.all(
    counties.map(async ({ polygons, properties: { ALAND, AWATER } }) => {
      const rings = (await allOf(polygons.map((polygon) => overlay.fromPolygon(polygon)))).flat()
      return { rings, area_m2: overlay.area_m2(rings), published_m2: Number(ALAND ?? 0) + Number(AWATER ?? 0) }
    }),
  )
  const published = measured.filter(({ published_m2 }) => published_m2 > 0)
  return {
    sum_m2: sumOf(measured.map(({ area_m2 }) => area_m2)),
    union_m2: overlay.area_m2(await overlay.union(measured.flatMap(({ rings }) => rings))),
    outline_m2: sumOf(published.map(({ area_m2 }) => area_m2)),
    published_m2: sumOf(published.map(({ published_m2 }) => published_m2)),
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, it) => sum + it, 0)
}
