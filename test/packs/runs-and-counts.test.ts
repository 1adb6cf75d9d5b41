import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { xyzOf } from '../../src/geo/ecef.ts'
import { edgeCrossingX } from '../../src/geo/polygon.ts'
import type { Point } from '../../src/model/place.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { openGeopackage } from '../../src/files/geopackage/geopackage.ts'
import { openPackLayer, type PackLayer } from '../../src/packs/layer/pack-layer.ts'
import { measureShape } from '../../src/packs/check/pack-measure.ts'
import { edgesPerRun, shapeContains, decodeShape, type PackShape } from '../../src/packs/layer/pack-shape.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { writePack } from './write-pack.ts'
import { blob, lineWkb, multipolygon, pointWkb, polygonWkb, type WkbPosition, type WkbShape } from './encode-wkb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const seed = Number(process.env.SEED ?? 20_261_121)
console.log(`SEED=${seed}`)
const random = randomOf(seed)
const folder = temporaryFolder()

/** A closed ring with this many vertices and a jumping radius. */
function ring(x: number, y: number, radius: number, count: number): WkbPosition[] {
  const places = Array.from({ length: count }, (_, i): WkbPosition => {
    const [angle, r] = [(2 * Math.PI * i) / count, radius * (0.5 + random() / 2)]
    return [x + r * Math.cos(angle), y + r * Math.sin(angle)]
  })
  return [...places, places[0]!]
}

const walk = (x: number, y: number, step: number, count: number): WkbPosition[] => {
  let [at_x, at_y] = [x, y]
  return Array.from({ length: count }, (): WkbPosition => [
    (at_x += step * (random() - 0.5)),
    (at_y += step * (random() - 0.5)),
  ])
}
const near = (x: number, y: number, reach: number): Point => ({
  lng: x + reach * (2 * random() - 1),
  lat: y + reach * (2 * random() - 1),
})

test('each ring of a shape that is not closed is closed, also of so many rings that copying all for each would not end', () => {
  const count = 200_000
  const one = Buffer.from(blob(polygonWkb(ring(-100, 40, 0.1, 3).slice(0, -1))))
  const header = one.subarray(0, -52)
  header.writeUInt32LE(count, header.length - 4)
  const shape = decodeShape(Buffer.concat([header, ...Array<Buffer>(count).fill(one.subarray(-52))]), null)!
  const [first, last] = [shape.coordinates.slice(0, 8), shape.coordinates.slice(-8)]
  expect(last).toEqual(first)
  expect(first.slice(6)).toEqual(first.slice(0, 2))
  expect(shape.starts.at(-1)).toBe(4 * count)
})

describe('the run boxes of a shape', () => {
  // Rings that end within a run, at its end, and one vertex before and after it.
  const lengths = [
    3,
    edgesPerRun - 2,
    edgesPerRun - 1,
    edgesPerRun,
    edgesPerRun + 1,
    5 * edgesPerRun,
    5 * edgesPerRun + 7,
  ]
  const shapes: PackShape[] = lengths.flatMap((count) => [
    decodeShape(
      blob(multipolygon([ring(-100, 40, 0.1, count), ring(-100, 40, 0.03, 200)], [ring(-99.7, 40.1, 0.1, 300)])),
      null,
    )!,
    decodeShape(blob(lineWkb(...walk(-100, 40, 0.01, count * 4))), null)!,
  ])

  test('contain each of their edges', () => {
    for (const { coordinates, runs } of shapes) {
      for (let i = 0; 2 * i + 3 < coordinates.length; i++) {
        const [west, east, south, north] = runs.subarray(4 * Math.floor(i / edgesPerRun))
        for (const at of [2 * i, 2 * i + 2])
          expect(
            coordinates[at]! >= west! &&
              coordinates[at]! <= east! &&
              coordinates[at + 1]! >= south! &&
              coordinates[at + 1]! <= north!,
          ).toBe(true)
      }
    }
  })

  test('skip no crossing: containment agrees with a count over all edges', () => {
    let held = 0
    for (const shape of shapes) {
      for (let i = 0; i < 400; i++) {
        const at = near(-99.85, 40.05, 0.3)
        const isHeld = shapeContains(shape, at)
        if (isHeld !== containsByAllEdges(shape, at)) throw new Error(`${at.lat}, ${at.lng} (seed ${seed})`)
        if (isHeld) held++
      }
    }
    expect(held).toBeGreaterThan(200)
  })

  test('skip no nearer edge: the distance agrees with a search over all edges', () => {
    for (const shape of shapes) {
      for (let i = 0; i < 100; i++) {
        const at = near(-99.85, 40.05, 0.5)
        const found = measureShape(shape, at, xyzOf(at), Infinity)!.distance_m
        // The same shape as a single run, which is measured edge by edge.
        const whole = measureShape(
          { ...shape, runs: shape.runs.subarray(0, 4), xyz: null },
          at,
          xyzOf(at),
          Infinity,
        )!.distance_m
        expect(Math.abs(found - whole)).toBeLessThan(1e-6 * whole + 1e-6)
      }
    }
  })
})

function containsByAllEdges({ coordinates, starts, polygons }: PackShape, { lng: x, lat: y }: Point): boolean {
  for (let p = 0; p < polygons.length; p += 2) {
    let inside = false
    for (let path = polygons[p]!; path < polygons[p + 1]!; path++) {
      for (let i = starts[path]!; i + 1 < starts[path + 1]!; i++) {
        const [x1, y1, x2, y2] = coordinates.subarray(2 * i, 2 * i + 4) as unknown as [number, number, number, number]
        if (y1 > y !== y2 > y && x < (y1 < y2 ? edgeCrossingX(x1, y1, x2, y2, y) : edgeCrossingX(x2, y2, x1, y1, y)))
          inside = !inside
      }
    }
    if (inside) return true
  }
  return false
}

describe('the number of features within a radius', () => {
  const shapes = Array.from({ length: 400 }, (_, i): WkbShape => {
    const { lng, lat } = near(-100, 40, 0.2)
    return [
      pointWkb([lng, lat]),
      lineWkb(...walk(lng, lat, 0.01, 90)),
      polygonWkb(ring(lng, lat, 0.02, 70), ring(lng, lat, 0.005, 20)),
    ][i % 3]!
  })
  const layer = opened('mixed', shapes)

  test('equals the number of features found, whatever the radius and condition', () => {
    let most = 0
    for (let i = 0; i < 60; i++) {
      const at = near(-100, 40, 0.25)
      for (const radius_m of [0, 50, 500, 5_000, 60_000]) {
        for (const where of [undefined, 'n < 200']) {
          const requested = { at, radius_m, ...(where !== undefined && { where }) }
          const count = layer.query({ ...requested, count_only: true }).length
          if (count !== layer.query(requested).length)
            throw new Error(
              `${at.lat}, ${at.lng} within ${radius_m} m: ${count} for ${layer.query(requested).length} (seed ${seed})`,
            )
          most = Math.max(most, count)
        }
      }
    }
    expect(most).toBe(shapes.length)
  })

  test('is no more than the limit', () => {
    expect(layer.query({ at: { lat: 40, lng: -100 }, radius_m: 60_000, limit: 7, count_only: true })).toHaveLength(7)
  })

  function opened(name: string, of: WkbShape[]): PackLayer {
    const path = writePack(join(folder, `${name}.gpkg`))
      .layer(
        'it',
        of.map((shape, n) => ({ geom: blob(shape), attributes: { n } })),
      )
      .close()
    const { db, tables } = openGeopackage(path)
    return openPackLayer(
      db,
      tables[0]!,
      { attributes: [], renames: new Map(), needsPolygons: false },
      createByteCache(1e6),
    )
  }
})
