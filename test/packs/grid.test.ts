import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RasterQuery } from '../../src/model/source.ts'
import { sampleOperator } from '../../src/operators/raster/sample.ts'
import { layOutGrid } from '../../scripts/embed/lay-out.ts'
import { openMemoryGrid } from '../../src/packs/embedded/memory-grid.ts'

/** A grid with nodes `step` degrees apart, starting at the northwest corner. `rows` are in hundredths. */
function gridOf(north: number, west: number, step: number, rows: number[][]) {
  const db = new Database(':memory:')
  db.run('CREATE TABLE net (fid INTEGER PRIMARY KEY, lat REAL, west REAL, step REAL, cells BLOB)')
  const insert = db.prepare('INSERT INTO net (lat, west, step, cells) VALUES (?, ?, ?, ?)')
  for (const [i, row] of rows.entries())
    insert.run(north - i * step, west, step, new Uint8Array(Int16Array.from(row).buffer))
  return openMemoryGrid(layOutGrid(db, 'net'))
}
const budget = { signal: new AbortController().signal }

/** The interpolated value, as a field reads it. */
function valueAt(grid: ReturnType<typeof gridOf>, lat: number, lng: number) {
  const source = async ({ at, radius_cells }: RasterQuery) => grid.window(at, radius_cells)
  return sampleOperator.run(
    { resampling: 'bilinear' },
    source,
    { at: { lat, lng }, key: null, inputs: {}, now: new Date(0) },
    budget,
  )
}

describe('a grid', () => {
  // Nodes at 41, 40.5, 40 N and 106, 105.5, 105, 104.5 W.
  const grid = gridOf(41, -106, 0.5, [
    [100, 200, 300, 400],
    [500, 600, 700, 800],
    [-100, -200, -300, -32_768],
  ])

  test.each([
    ['at a node, its value', 40.5, -105.5, 6],
    ['at the first node', 41, -106, 1],
    ['at the last node of the first row', 41, -104.5, 4],
    ['at the first node of the last row', 40, -106, -1],
    ['at the last node', 40, -104.5, -327.68],
    ['halfway between two nodes of a row, their mean', 40.5, -105.25, 6.5],
    ['halfway between two nodes of a column', 40.75, -105.5, 4],
    ['in the middle of four nodes', 40.75, -105.25, 4.5],
    ['a quarter of the way along and three quarters down', 40.625, -105.375, 5.25],
    ['on the last column, between its nodes', 40.75, -104.5, 6],
    ['on the last row, between its nodes', 40, -105.75, -1.5],
  ])('gives %s', async (_name, lat, lng, value) => expect(await valueAt(grid, lat, lng)).toBeCloseTo(value, 9))

  test.each([
    ['north', 41.26, -105.5],
    ['south', 39.74, -105.5],
    ['west', 40.5, -106.26],
    ['east', 40.5, -104.24],
    ['north-west', 41.3, -106.3],
    ['on the other side of the earth', 40.5, 75],
  ])('has no value more than half a step outside (%s)', async (_name, lat, lng) => {
    expect(await valueAt(grid, lat, lng)).toBeNull()
  })

  test.each([
    ['north', 41.2, -105.5, 2],
    ['south', 39.8, -105.5, -2],
    ['west', 40.5, -106.2, 5],
    ['east', 40.5, -104.3, 8],
  ])('has the value of its edge less than half a step outside (%s)', async (_name, lat, lng, value) => {
    expect(await valueAt(grid, lat, lng)).toBeCloseTo(value, 9)
  })

  test('returns a window with the requested number of cells on every side, null outside the grid', () => {
    const window = grid.window({ lat: 40.9, lng: -105.9 }, 1)
    expect(window).toMatchObject({ width: 4, height: 4 })
    expect(window.cells).toEqual([null, null, null, null, null, 1, 2, 3, null, 5, 6, 7, null, -1, -2, -3])
    expect([window.at_x, window.at_y].map((it) => Number(it.toFixed(9)))).toEqual([1.7, 1.7])
  })
})

describe('a grid across the antimeridian', () => {
  // Nodes at 178, 179, 180, -179, -178.
  const grid = gridOf(52, 178, 1, [
    [100, 200, 300, 400, 500],
    [200, 300, 400, 500, 600],
  ])
  test.each([
    [52, 179.5, 2.5],
    [52, 179.999999, 3],
    [52, 180, 3],
    [52, -180, 3],
    [52, -179.999999, 3],
    [52, -179.5, 3.5],
    [51.5, -179.5, 4],
    [52, -178, 5],
    [51, 178, 2],
  ])('continues at %f, %f', async (lat, lng, value) => expect(await valueAt(grid, lat, lng)).toBeCloseTo(value, 5))

  test('ends at its edge on the other side', async () => {
    expect([await valueAt(grid, 52, -177.4), await valueAt(grid, 52, 177.4)]).toEqual([null, null])
  })
})

test('interpolating a plane is exact anywhere between the nodes', async () => {
  const slope = fc.integer({ min: -50, max: 50 })
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  await fc.assert(
    fc.asyncProperty(
      slope,
      slope,
      fc.integer({ min: -1000, max: 1000 }),
      part,
      part,
      async (east, south, level, x, y) => {
        const grid = gridOf(
          45,
          -110,
          0.25,
          Array.from({ length: 8 }, (_, i) => Array.from({ length: 12 }, (_, j) => level + east * j + south * i)),
        )
        const expected = (level + east * 11 * x + south * 7 * y) / 100
        expect(await valueAt(grid, 45 - 0.25 * 7 * y, -110 + 0.25 * 11 * x)).toBeCloseTo(expected, 6)
      },
    ),
    { numRuns: 300 },
  )
})

test('a grid without rows is rejected', () => expect(() => gridOf(0, 0, 1, [])).toThrow('The grid net has no rows.'))
