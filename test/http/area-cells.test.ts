import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import { signedRingArea_m2 } from '../../src/geo/ellipsoid.ts'
import { boxRing } from '../packs/encode-wkb.ts'
import { buildGeotiff } from '../raster/build-geotiff.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const degrees = { width: 200, height: 200, origin: [-105, 39.2] as [number, number], epsg: 4326, tile: 64 }
const step: [number, number] = [0.001, -0.001]
/** A plane that rises to the east. No data in the first ten columns. */
writeFileSync(
  join(packs, 'usgs_3dep_13.tif'),
  buildGeotiff({ ...degrees, step, nodata: '-9999', value: (x) => (x < 10 ? -9999 : 1000 + x) }),
)
/** Forest (42) in the west and water (11) in the east, in Albers with cells of 30 m. */
writeFileSync(
  join(packs, 'annual_nlcd_landcover.tif'),
  buildGeotiff({
    width: 1000,
    height: 1000,
    epsg: 5070,
    origin: [-765_000, 1_850_000],
    step: [30, -30],
    type: 'uint8',
    tile: 128,
    value: (x) => (x < 500 ? 42 : 11),
  }),
)
const service = await openPackService(packs)

async function resultFor(ring: readonly (readonly number[])[], field: string): Promise<AreaFieldResult> {
  const geometry = { type: 'Polygon', coordinates: [ring] }
  const response = await service.post('/v1/areas', { geometry, fields: [field], include: ['geometry'] })
  expect(response.status).toBe(200)
  return ((await response.json()) as AreaAnswer).fields[field]!
}

/** The values and areas of the drawn parts. */
function drawnParts({ geometry }: AreaFieldResult) {
  return geometry!.features.map(({ properties: { value, range }, geometry: drawn }) => {
    const { type, coordinates } = drawn as { type: string; coordinates: number[][][] | number[][][][] }
    const rings = (type === 'Polygon' ? coordinates : coordinates.flat()) as number[][][]
    const area_m2 = Math.abs(rings.reduce((sum, ring) => sum + signedRingArea_m2(ring.slice(1).flat()), 0))
    return { value, range, area_m2, longitudes: rings.flat().map(([lng]) => lng!) }
  })
}

const shares = (parts: { area_m2: number }[]) => {
  const total = parts.reduce((sum, { area_m2 }) => sum + area_m2, 0)
  return parts.map(({ area_m2 }) => Number((area_m2 / total).toFixed(3)))
}

describe('the cells of a raster on a map', () => {
  test('are parts by class with the areas of the classes, cut at the outline', async () => {
    // The border of the classes goes through this triangle.
    const result = await resultFor(
      [
        [-104.72, 39.24],
        [-104.62, 39.24],
        [-104.66, 39.3],
        [-104.72, 39.24],
      ],
      'nlcd_class',
    )
    const { classes } = result.value as { classes: { value: string; share: number; area_m2: number }[] }
    const parts = drawnParts(result)
    expect(parts.map(({ value }) => value)).toEqual(classes.map(({ value }) => value))
    for (const [i, { area_m2, longitudes }] of parts.entries()) {
      expect(Math.abs(area_m2 / classes[i]!.area_m2 - 1)).toBeLessThan(0.05)
      expect(Math.min(...longitudes)).toBeGreaterThanOrEqual(-104.7201)
      expect(Math.max(...longitudes)).toBeLessThanOrEqual(-104.6199)
    }
  })

  test('are five parts of numbers between the least and the greatest, with the range of each', async () => {
    const parts = drawnParts(await resultFor(boxRing(-104.98, 39.05, -104.94, 39.15), 'elevation'))
    const inOrder = parts.toSorted((a, b) => a.range![0] - b.range![0])
    const limits = inOrder.flatMap(({ range }) => range!)
    expect(limits).toHaveLength(10)
    expect(limits).toEqual(limits.toSorted((left, right) => left - right))
    expect([Math.min(...limits) >= 1020, Math.max(...limits) < 1060]).toEqual([true, true])
    for (const { value, range } of inOrder) {
      expect(Number(value)).toBeGreaterThanOrEqual(range![0])
      expect(Number(value)).toBeLessThanOrEqual(range![1])
    }
    for (const share of shares(inOrder)) expect(Math.abs(share - 0.2)).toBeLessThan(0.06)
  })

  test('are single cells in a small area, and leave out what has no data', async () => {
    const parts = drawnParts(await resultFor(boxRing(-104.9925, 39.1, -104.9875, 39.101), 'elevation'))
    const inOrder = parts.toSorted((a, b) => Number(a.value) - Number(b.value))
    expect(inOrder.map(({ value, range }) => [value, range])).toEqual([
      [1010, [1010, 1010]],
      [1011, [1011, 1011]],
      [1012, [1012, 1012]],
    ])
    // Half of the last cell is in the area.
    expect(shares(inOrder)).toEqual([0.4, 0.4, 0.2])
  })
})
