import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaFieldResult } from '../../src/areas/area-answer.ts'
import { boxRing } from '../packs/encode-wkb.ts'
import { buildGeotiff } from '../raster/build-geotiff.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const step = 0.001
const origin: [number, number] = [-105, 39.2]
const packs = temporaryFolder()
const degrees = { width: 200, height: 200, origin, step: [step, -step] as [number, number], epsg: 4326, tile: 64 }

/** A plane that rises 10 m per cell to the east and 3 m per cell to the south. No data in the first ten columns. */
const heightAt = (x: number, y: number) => 1000 + 10 * x + 3 * y
writeFileSync(
  join(packs, 'usgs_3dep_13.tif'),
  buildGeotiff({ ...degrees, nodata: '-9999', value: (x, y) => (x < 10 ? -9999 : heightAt(x, y)) }),
)
/** A checkerboard of evergreen forest (42) and open water (11). */
writeFileSync(
  join(packs, 'annual_nlcd_landcover.tif'),
  buildGeotiff({ ...degrees, type: 'uint8', value: (x, y) => ((x + y) % 2 === 0 ? 42 : 11) }),
)
/** Albers, 30 m cells around 39.1 N 104.9 W. The left half is 20, the right half 60. */
const [albersX, albersY] = [-765_000, 1_850_000]
writeFileSync(
  join(packs, 'annual_nlcd_impervious.tif'),
  buildGeotiff({
    width: 1000,
    height: 1000,
    epsg: 5070,
    origin: [albersX, albersY],
    step: [30, -30],
    type: 'uint8',
    tile: 128,
    value: (x) => (x < 500 ? 20 : 60),
  }),
)

/** Corn on both sides of the border of Canada, 49 N. */
writeFileSync(
  join(packs, 'usda_cdl.tif'),
  buildGeotiff({ ...degrees, origin: [-104.7, 49.1], type: 'uint8', value: () => 1 }),
)

const service = await openPackService(packs)

type Numbers = Record<'mean' | 'min' | 'max' | 'sd' | 'p10' | 'p50' | 'p90' | 'cells', number>
type Classes = { classes: { value: string; share: number; cells: number }[] }

/** A rectangle in cells of the rasters in degrees. */
const cells = (left: number, top: number, right: number, bottom: number) => ({
  type: 'Polygon',
  coordinates: [
    boxRing(origin[0] + left * step, origin[1] - bottom * step, origin[0] + right * step, origin[1] - top * step),
  ],
})

async function resultFor(geometry: object, field: string): Promise<AreaFieldResult> {
  const response = await service.post('/v1/areas', { geometry, fields: [field] })
  expect(response.status).toBe(200)
  return ((await response.json()) as { fields: Record<string, AreaFieldResult> }).fields[field]!
}

describe('statistics of a raster', () => {
  test('of a plane are those of the plane, with partial cells by their fraction', async () => {
    const result = await resultFor(cells(50.25, 60.5, 90.75, 80.5), 'elevation')
    const { mean, min, max, cells: count } = result.value as Numbers
    // The mean over whole and partial cells of a plane is the weighted mean of the columns and of the rows.
    const columns = Array.from({ length: 41 }, (_, i) => [50 + i, i === 0 || i === 40 ? 0.75 : 1] as const)
    const rows = Array.from({ length: 21 }, (_, i) => [60 + i, i === 0 || i === 20 ? 0.5 : 1] as const)
    const meanOf = (parts: (readonly [number, number])[]) =>
      parts.reduce((sum, [at, weight]) => sum + at * weight, 0) / parts.reduce((sum, [, weight]) => sum + weight, 0)
    expect(mean).toBeCloseTo(heightAt(meanOf(columns), meanOf(rows)), 4)
    expect([min, max]).toEqual([heightAt(50, 60), heightAt(90, 80)])
    expect(count).toBeCloseTo(40.5 * 20, 6)
    expect(result).toMatchObject({
      status: 'ok',
      area_kind: 'raster_statistics',
      covered_share: 1,
      driver: 'pack',
      unit: 'm',
    })
  })

  test('have weighted percentiles and a weighted standard deviation', async () => {
    const { p10, p50, p90, sd } = (await resultFor(cells(100, 100, 110, 101), 'elevation')).value as Numbers
    expect([p10, p50, p90]).toEqual([heightAt(100, 100), heightAt(104, 100), heightAt(108, 100)])
    expect(sd).toBeCloseTo(Math.sqrt(8.25) * 10, 5)
  })

  test('of a slope are computed from the neighbors of each cell', async () => {
    const { mean, min, max } = (await resultFor(cells(100, 100, 120, 120), 'slope_degrees')).value as Numbers
    const [east_m, south_m] = [0.001 * 111_320 * Math.cos((39.09 * Math.PI) / 180), 0.001 * 111_018]
    const expected = (Math.atan(Math.hypot(10 / east_m, 3 / south_m)) * 180) / Math.PI
    expect(mean).toBeCloseTo(expected, 1)
    expect(max - min).toBeLessThan(0.1)
  })

  test('say which part has no data, and which is outside the raster', async () => {
    const west = await resultFor(cells(0, 50, 20, 60), 'elevation')
    expect(west.covered_share).toBeCloseTo(0.5, 3)
    expect(west.absent_parts).toMatchObject([{ reason: 'no_data' }])
    const edge = await resultFor(cells(190, 50, 210, 60), 'elevation')
    expect(edge.covered_share).toBeCloseTo(0.5, 3)
    expect(edge.absent_parts).toMatchObject([{ reason: 'outside_coverage' }])
    expect(await resultFor(cells(2, 50, 5, 60), 'elevation')).toMatchObject({
      status: 'absent',
      absent_reason: 'no_data',
    })
  })

  test('follow the curves of a projected raster', async () => {
    const { area_m2, share } = await (async () => {
      const response = await service.post('/v1/areas', {
        geometry: { type: 'Polygon', coordinates: [boxRing(-104.72, 39.2, -104.62, 39.3)] },
        fields: ['impervious_surface_pct'],
      })
      const answer = (await response.json()) as { area_m2: number; fields: Record<string, AreaFieldResult> }
      const { cells: count, mean } = answer.fields.impervious_surface_pct!.value as Numbers
      expect(mean).toBeGreaterThanOrEqual(20)
      expect(mean).toBeLessThanOrEqual(60)
      return { area_m2: answer.area_m2, share: count * 900 }
    })()
    // The projection has equal areas, so the cells add up to the area of the polygon.
    expect(share / area_m2).toBeCloseTo(1, 5)
  })

  test('of two halves add up to those of the whole', async () => {
    const ask = async (left: number, right: number) =>
      (await resultFor(cells(left, 20.3, right, 90.7), 'elevation')).value as Numbers
    const [whole, west, east] = [await ask(30.2, 150.9), await ask(30.2, 77.77), await ask(77.77, 150.9)]
    expect(west.cells + east.cells).toBeCloseTo(whole.cells, 3)
    expect((west.mean * west.cells + east.mean * east.cells) / whole.cells).toBeCloseTo(whole.mean, 4)
  })
})

describe('classes of a raster', () => {
  test('of a checkerboard have half of the cells each', async () => {
    const result = await resultFor(cells(20, 20, 60, 60), 'nlcd_class')
    const { classes } = result.value as Classes
    expect(classes.map(({ share }) => Number(share.toFixed(6)))).toEqual([0.5, 0.5])
    expect(classes.map((it) => it.cells)).toEqual([800, 800])
    expect(result).toMatchObject({ area_kind: 'raster_classes', covered_share: 1 })
  })

  test('count a quarter of a cell as a quarter', async () => {
    const { classes } = (await resultFor(cells(20.5, 20.5, 21.5, 21), 'nlcd_class')).value as Classes
    expect(classes.map((it) => it.cells)).toEqual([0.25, 0.25])
  })
})

test('a true or false field of a raster is not true everywhere if its source does not cover all', async () => {
  const atBorder = { type: 'Polygon', coordinates: [boxRing(-104.6, 48.95, -104.55, 49.05)] }
  const { value, absent_parts } = await resultFor(atBorder, 'is_cultivated')
  expect(value).toMatchObject({ share_true: expect.closeTo(0.5, 1), any: true, all: false })
  expect(absent_parts).toMatchObject([{ reason: 'outside_coverage' }])
  const inside = { type: 'Polygon', coordinates: [boxRing(-104.6, 48.95, -104.55, 48.97)] }
  expect((await resultFor(inside, 'is_cultivated')).value).toMatchObject({ share_true: 1, all: true })
})

describe('a line over a raster', () => {
  const line = {
    type: 'LineString',
    coordinates: [
      [origin[0] + 20 * step, origin[1] - 50.5 * step],
      [origin[0] + 120 * step, origin[1] - 50.5 * step],
    ],
  }

  test('has a profile with at most 500 points, in order', async () => {
    const result = await resultFor(line, 'elevation')
    const { profile, min, max } = result.value as Numbers & { profile: [number, number][] }
    expect(profile).toHaveLength(500)
    expect(profile[0]).toEqual([0, expect.closeTo(heightAt(19.5, 50), 1)])
    expect(profile.at(-1)![1]).toBeCloseTo(heightAt(119.5, 50), 1)
    expect(profile.map(([at]) => at)).toEqual(profile.map(([at]) => at).toSorted((a, b) => a - b))
    expect(min).toBeLessThan(max)
    expect(result.notes).toBe('From 500 samples at equal distances along the line.')
  })

  test('has null in its profile where the raster does not cover the line', async () => {
    const beyond = {
      type: 'LineString',
      coordinates: [
        [origin[0] + 180 * step, origin[1] - 50.5 * step],
        [origin[0] + 220 * step, origin[1] - 50.5 * step],
      ],
    }
    const result = await resultFor(beyond, 'elevation')
    const { profile } = result.value as unknown as { profile: [number, number | null][] }
    expect(profile.filter(([, height]) => height === null).length / profile.length).toBeCloseTo(0.5, 1)
    expect(profile.at(-1)![1]).toBeNull()
    expect(result.absent_parts).toMatchObject([{ reason: 'outside_coverage' }])
  })

  test('has classes and crossings', async () => {
    const { classes, crossings } = (await resultFor(line, 'nlcd_class')).value as Classes & { crossings: unknown[] }
    expect(classes[0]!.share).toBeCloseTo(0.5, 1)
    expect(crossings.length).toBeGreaterThan(90)
  })
})
