import { expect, test } from 'bun:test'
import { cellToBoundary, cellToLatLng, getPentagons, latLngToCell } from 'h3-js'
import { randomOf } from '../../scripts/bench/random.ts'
import { h3CellOf } from '../../src/operators/functions/h3-cell.ts'

const random = randomOf(20_261_123)

/** A point within a distance of another one, in degrees. */
function near([lat, lng]: readonly [number, number], degrees: number): [number, number] {
  const north = lat + degrees * (random() - 0.5)
  return [Math.max(-90, Math.min(90, north)), lng + degrees * (random() - 0.5)]
}

/** Returns the points where another cell is found than by h3-js. */
function differences(points: readonly (readonly [number, number])[], resolution: number) {
  return points.filter(([lat, lng]) => h3CellOf(lat, lng, resolution) !== latLngToCell(lat, lng, resolution))
}

test('the H3 cell is that of h3-js, also beside the borders of cells, at pentagons, poles and the antimeridian', () => {
  for (let resolution = 0; resolution <= 15; resolution++) {
    const anywhere = Array.from({ length: 2_000 }, () => {
      const lat = (Math.asin(2 * random() - 1) * 180) / Math.PI
      return [lat, 360 * random() - 180] as const
    })
    const cells = anywhere.slice(0, 100).map(([lat, lng]) => latLngToCell(lat, lng, resolution))
    const corners = cells.flatMap((cell) => cellToBoundary(cell))
    const special = [...corners, ...[...cells, ...getPentagons(resolution)].map((cell) => cellToLatLng(cell))]
    special.push([90, 0], [-90, 0], [0, 180], [0, -180], [52, 180], [52, -180], [0, 0])
    const beside = special.flatMap((at) => [at, ...[1e-14, 1e-11, 1e-8, 1e-5, 1e-2, 1].map((it) => near(at, it))])
    expect(differences([...anywhere, ...beside], resolution)).toEqual([])
  }
})

test('the H3 cell of a point that h3-js rejects throws its error', () => {
  for (const [lat, lng, resolution] of [
    [NaN, 0, 9],
    [0, Infinity, 9],
    [40, -105, 16],
    [40, -105, -1],
  ] as const)
    expect(() => h3CellOf(lat, lng, resolution)).toThrow()
})
