import { describe, expect, test } from 'bun:test'
import { CellFractions, type CellEdge } from '../../src/geo/overlay/cell-fractions.ts'
import type { CellRect, FlatPath } from '../../src/model/area.ts'
import { randomStar, seededRandom } from '../areas/random-polygons.ts'

function edgesOf(...rings: FlatPath[]): CellEdge[] {
  return rings.flatMap((ring) =>
    Array.from({ length: ring.length / 2 }, (_, i) => {
      const next = (i + 1) % (ring.length / 2)
      return [ring[2 * i]!, ring[2 * i + 1]!, ring[2 * next]!, ring[2 * next + 1]!] as const
    }),
  )
}

function planeArea(ring: FlatPath): number {
  return Math.abs(edgesOf(ring).reduce((sum, [x1, y1, x2, y2]) => sum + (x1 * y2 - x2 * y1) / 2, 0))
}

function cellFractionsOf(edges: CellEdge[], rect: CellRect): Float64Array {
  const cells = new CellFractions(rect)
  for (const edge of edges) cells.add(edge)
  return cells.fractions()
}

const rect = { column: -2, row: 3, width: 12, height: 9 }
const fractionsOf = (...rings: FlatPath[]) => cellFractionsOf(edgesOf(...rings), rect)
const fractionAt = (fractions: Float64Array, column: number, row: number) =>
  fractions[(row - rect.row) * rect.width + column - rect.column]!

describe('the fraction of a cell', () => {
  test('of a rectangle is the product of both sides', () => {
    const fractions = fractionsOf([1.25, 4.5, 4.5, 4.5, 4.5, 7.25, 1.25, 7.25])
    expect(fractionAt(fractions, 1, 4)).toBeCloseTo(0.75 * 0.5, 12)
    expect(fractionAt(fractions, 2, 5)).toBe(1)
    expect(fractionAt(fractions, 4, 7)).toBeCloseTo(0.5 * 0.25, 12)
    expect(fractionAt(fractions, 5, 5)).toBe(0)
  })

  test('of a triangle with its corner in a cell is its area', () => {
    const fractions = fractionsOf([2.5, 5.5, 2.75, 5.5, 2.5, 5.75])
    expect(fractionAt(fractions, 2, 5)).toBeCloseTo(0.03125, 12)
    expect(fractions.reduce((sum, it) => sum + it, 0)).toBeCloseTo(0.03125, 12)
  })

  test('of a diagonal half is one half in every cell on the diagonal', () => {
    const fractions = fractionsOf([0, 4, 6, 10, 0, 10])
    for (let i = 0; i < 6; i++) expect(fractionAt(fractions, i, 4 + i)).toBeCloseTo(0.5, 12)
  })

  test('leaves out holes, which run in the other direction', () => {
    const fractions = fractionsOf([0, 4, 6, 4, 6, 10, 0, 10], [2.5, 6.5, 2.5, 7, 3, 7, 3, 6.5])
    expect(fractionAt(fractions, 2, 6)).toBeCloseTo(0.75, 12)
  })

  test('of 500 random stars is between 0 and 1 and adds up to their area', () => {
    const random = seededRandom(4)
    for (let i = 0; i < 500; i++) {
      const star = randomStar(random, {
        x: 4 + random(),
        y: 7.5 + random(),
        size: 0.2 + 3 * random(),
        vertices: 3 + Math.floor(20 * random()),
      })
      const fractions = fractionsOf(star)
      expect(Math.min(...fractions)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...fractions)).toBeLessThanOrEqual(1)
      expect(fractions.reduce((sum, it) => sum + it, 0)).toBeCloseTo(planeArea(star), 7)
    }
  })

  test('in strips is the same as in one piece', () => {
    const star = randomStar(seededRandom(8), { x: 4, y: 7.5, size: 4, vertices: 17 })
    const whole = fractionsOf(star)
    for (let row = 0; row < rect.height; row++) {
      const strip = cellFractionsOf(edgesOf(star), { ...rect, row: rect.row + row, height: 1 })
      for (let x = 0; x < rect.width; x++) expect(strip[x]).toBeCloseTo(whole[row * rect.width + x]!, 12)
    }
  })
})
