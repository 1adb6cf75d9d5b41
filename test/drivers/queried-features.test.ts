import { describe, expect, test } from 'bun:test'
import { requireQueriedFeatures } from '../../src/drivers/features/queried-features.ts'
import type { GeoFeature } from '../../src/drivers/features/nearest-features.ts'
import type { Position } from '../../src/model/source.ts'

const at = { lat: 40, lng: -105 }
const pointFeature = (position: Position, name = 'a'): GeoFeature => ({
  properties: { name },
  geometry: { points: [position], lines: [], polygons: [] },
})
const queried = (features: GeoFeature[], radius_m = 5_000, place = at) =>
  requireQueriedFeatures(features, { at: place, radius_m }, 'host.example')

describe('the features of an answer', () => {
  test.each<[string, Position]>([
    ['10 degrees east', [-95, 40]],
    ['in another state', [-105, 35]],
    ['with latitude and longitude swapped', [40, -105]],
    ['in meters', [-11_688_546, 4_865_942]],
    ['at 0, 0', [0, 0]],
  ])('%s are no answer to the question', async (_name, position) => {
    expect(queried([pointFeature(position)])).rejects.toThrow(
      /^host\.example returned a feature at .* which is outside the area of the query\./,
    )
  })

  test('count without those of other places, which a service lists in addition', async () => {
    const near = pointFeature([-105, 40])
    expect(await queried([pointFeature([-95, 40]), near, pointFeature([0, 0])])).toEqual([near])
  })

  test('may lie outside the circle, but within its box', async () => {
    expect(await queried([pointFeature([-105.058, 40.044])])).toHaveLength(1)
  })

  test('may extend far beyond the box', async () => {
    const line = { points: [], lines: [[[-120, 40] as Position, [-80, 40] as Position]], polygons: [] }
    expect(await queried([{ properties: { name: 'long' }, geometry: line }])).toHaveLength(1)
  })

  test('have a position each, unless the caller expects some without', async () => {
    const features = [
      pointFeature([-105, 40]),
      { properties: { name: 'none' }, geometry: { points: [], lines: [], polygons: [] } },
    ]
    expect(queried(features)).rejects.toThrow('host.example returned a feature without a geometry.')
    const query = { at, radius_m: 5_000 }
    expect(await requireQueriedFeatures(features, query, 'host.example', { mayHaveNoPosition: true })).toHaveLength(2)
  })

  test('count on both sides of the antimeridian', async () => {
    const place = { lat: 52, lng: 179.99 }
    expect(await queried([pointFeature([-179.99, 52]), pointFeature([179.98, 52])], 5_000, place)).toHaveLength(2)
  })

  test('that are listed twice count once, and equal names at other places count apart', async () => {
    const [one, other] = [pointFeature([-105, 40]), pointFeature([-105.001, 40])]
    expect(await queried([one, other, structuredClone(one), structuredClone(other)])).toEqual([one, other])
  })
})
