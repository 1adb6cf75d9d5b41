import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { coordinateStep_degrees } from '../../src/geo/flat-geometries.ts'
import { loadTestLayer } from './load-test-layer.ts'
import { createGeopackage } from './create-geopackage.ts'
import { blob, polygonWkb, type WkbPosition } from './encode-wkb.ts'

const size = 4
/** Less than half a cell to each side, so that no two borders cross. */
const shift = fc.double({ min: -0.2, max: 0.2, noNaN: true })
const shifts = fc.array(fc.tuple(shift, shift), { minLength: (size + 1) ** 2, maxLength: (size + 1) ** 2 })

/** A tessellation of quadrilaterals whose inner corners are displaced at random. */
function sheetOf(shifts: [number, number][]): { corners: WkbPosition[]; cells: WkbPosition[][] } {
  const corners = shifts.map(([dx, dy], n): WkbPosition => {
    const [column, row] = [n % (size + 1), Math.floor(n / (size + 1))]
    const isInner = column > 0 && column < size && row > 0 && row < size
    return [-105 + column + (isInner ? dx : 0), 37 + row + (isInner ? dy : 0)]
  })
  const corner = (column: number, row: number) => corners[row * (size + 1) + column]!
  const cells = Array.from({ length: size ** 2 }, (_, n) => {
    const [column, row] = [n % size, Math.floor(n / size)]
    return [
      corner(column, row),
      corner(column + 1, row),
      corner(column + 1, row + 1),
      corner(column, row + 1),
      corner(column, row),
    ]
  })
  return { corners, cells }
}

const holdersIn = (cells: WkbPosition[][]) => {
  const layer = loadTestLayer(
    createGeopackage({ cells: cells.map((ring, CELL) => ({ geom: blob(polygonWkb(ring)), attributes: { CELL } })) }),
    'cells',
  )
  return (lng: number, lat: number) => layer.query({ at: { lat, lng }, radius_m: 0 }).length
}

test('every point of a tessellated layer is in exactly one polygon, also on borders and corners', () => {
  const part = fc.double({ min: 0, max: 0.999, noNaN: true })
  fc.assert(
    fc.property(shifts, part, part, (shifts, x, y) => {
      const { corners, cells } = sheetOf(shifts)
      const count = holdersIn(cells)
      // Rounded to the layer's coordinate grid.
      const kept = corners.map(
        (corner) =>
          corner.map((degrees) => Math.round(degrees / coordinateStep_degrees) * coordinateStep_degrees) as [
            number,
            number,
          ],
      )
      const inner = kept.filter((_, n) => n % (size + 1) < size && n < size * (size + 1))
      const along = inner.map(([lng, lat], n) => {
        const [toLng, toLat] = kept[kept.indexOf(inner[n]!) + 1]!
        return [lng + (toLng - lng) * x, lat + (toLat - lat) * x] as const
      })
      const anywhere = [-105 + size * x, 37 + size * y] as const
      expect([anywhere, ...inner, ...along].filter(([lng, lat]) => count(lng, lat) !== 1)).toEqual([])
    }),
    { numRuns: 150 },
  )
})

test('a border that two polygons follow in opposite directions has no gap and no overlap', () => {
  fc.assert(
    fc.property(shift, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (bend, along) => {
      const west: WkbPosition[] = [
        [-106, 39],
        [-105, 39],
        [-105 + bend, 39.5],
        [-105, 40],
        [-106, 40],
        [-106, 39],
      ]
      const east: WkbPosition[] = [
        [-105, 39],
        [-104, 39],
        [-104, 40],
        [-105, 40],
        [-105 + bend, 39.5],
        [-105, 39],
      ]
      const count = holdersIn([west, east])
      const lng = -105 + bend * (along < 0.5 ? 2 * along : 2 * (1 - along))
      const near = [lng - 2 * coordinateStep_degrees, lng, lng + 2 * coordinateStep_degrees]
      expect(near.map((lng) => count(lng, 39 + along))).toEqual([1, 1, 1])
    }),
    { numRuns: 300 },
  )
})
