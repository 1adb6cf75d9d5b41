import { describe, expect, test } from 'bun:test'
import { Geodesic } from 'geographiclib-geodesic'
import { allOf } from '../../src/async/maybe-promise.ts'
import { bufferLine, bufferPieces } from '../../src/geo/overlay/buffer.ts'
import { extentOf } from '../../src/geo/overlay/cut-at-extent.ts'
import { lineLength_m } from '../../src/geo/ellipsoid.ts'
import { Overlay } from '../../src/geo/overlay/overlay.ts'
import { seededRandom } from '../areas/random-polygons.ts'

async function areaOf(polygons: number[][][]): Promise<number> {
  const { overlay, rings } = await unionOf(polygons)
  return overlay.area_m2(rings)
}

async function unionOf(polygons: number[][][]) {
  const overlay = new Overlay(extentOf(polygons.flat()))
  const pieces = await allOf(polygons.map((polygon) => overlay.fromPolygon(polygon)))
  return { overlay, rings: await overlay.union(pieces.flat()) }
}

describe('a circle', () => {
  test.each([
    [13.4, 144.8, 50],
    [39.7, -105, 5_000],
    [64.8, -147.7, 89_000],
  ])('around %d, %d of %d m has its area within 0.01 %%, and its radius everywhere', async (lat, lng, radius_m) => {
    const rings = bufferLine([lng, lat], radius_m)
    expect(Math.abs((await areaOf([rings])) / (Math.PI * radius_m ** 2) - 1)).toBeLessThan(1e-4)
    for (let i = 0; i < rings[0]!.length; i += 2) {
      const { s12: distance_m = NaN } = Geodesic.WGS84.Inverse(lat, lng, rings[0]![i + 1]!, rings[0]![i]!)
      expect(Math.abs(distance_m - radius_m)).toBeLessThan(0.002)
    }
  })

  test('beyond the antimeridian continues with the longitudes', async () => {
    const { west, east } = extentOf(bufferLine([179.99, 51.9], 5_000))
    expect([west > 179.9 && west < 180, east > 180 && east < 180.1]).toEqual([true, true])
  })
})

describe('a corridor', () => {
  test('of 1,500 km has the area of its length times its width, and no gap between its pieces', async () => {
    const line = [-105, 39.7, -87.6, 41.9]
    const pieces = bufferPieces([line])
    const polygons = pieces.map((piece) => bufferLine(piece, 100))
    const expected_m2 = lineLength_m(line) * 200 + Math.PI * 100 ** 2
    expect(pieces.length).toBeGreaterThan(20)
    expect(Math.abs((await areaOf(polygons)) / expected_m2 - 1)).toBeLessThan(1e-4)
    expect((await unionOf(polygons)).rings).toHaveLength(1)
  })

  test('counts a place once where the line crosses itself, and keeps the hole of a loop', async () => {
    const loop = [-105, 39, -104.9, 39, -104.9, 39.1, -105, 39.1, -105, 39]
    expect(bufferLine(loop, 500)).toHaveLength(2)
    const twice = bufferLine([-105, 39, -104.9, 39, -105, 39], 500)
    expect((await areaOf([twice])) / (await areaOf([bufferLine([-105, 39, -104.9, 39], 500)]))).toBeCloseTo(1, 6)
  })

  test('of sharp turns has the area of the circles and strips that it consists of', async () => {
    const random = seededRandom(11)
    const line = Array.from({ length: 120 }, (_, i) => [-105 + 0.0004 * i + 0.002 * random(), 39.7 + 0.01 * random()])
    const whole = await areaOf([bufferLine(line.flat(), 300)])
    const segments = line.slice(1).map((to, i) => bufferLine([...line[i]!, ...to], 300))
    expect(Math.abs(whole / (await areaOf(segments)) - 1)).toBeLessThan(3e-5)
  })

  test('has few vertices in all however many turns there are, so that its pieces are joined', () => {
    const zigzag = Array.from({ length: 1000 }, (_, i) => [-105 + 0.00002 * i, 39.74 + 0.0002 * (i % 2)])
    const rings = bufferLine(zigzag.flat(), 2500)
    expect(rings).toHaveLength(1)
    expect(rings[0]!.length / 2).toBeLessThan(5000)
  })
})
