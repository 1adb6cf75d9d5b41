import { expect, test } from 'bun:test'
import { visitCoveredCells } from '../../src/areas/raster/raster-cells.ts'
import type { CellRect, CellSource } from '../../src/model/area.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { randomStar, seededRandom } from './random-polygons.ts'

const budget = { signal: new AbortController().signal, until_ms: Infinity }
const positionOf: CellSource['positionOf'] = ({ lat, lng }) => ({ x: lng, y: -lat })
const source: CellSource = {
  width: 1000,
  height: 1000,
  rowsPerChunk: 1,
  positionOf,
  pointAt: ({ x, y }) => ({ lat: -y, lng: x }),
  read: async ({ width, height }: CellRect) => ({
    width,
    height,
    at_x: 0,
    at_y: 0,
    cells: Array.from({ length: width * height }, () => 0),
  }),
}

test('cells in several strips add up to the area of the ring', async () => {
  const random = seededRandom(17)
  for (let i = 0; i < 50; i++) {
    const star = randomStar(random, { x: 500, y: -500, size: 400, vertices: 3 + Math.floor(30 * random()) })
    let sum = 0
    await visitCoveredCells(source, [star], { budget, yieldToEventLoop: () => null }, ({ fraction }) => {
      sum += fraction
    })
    const ends = star.map((_, at) => star[(at + 2) % star.length]!)
    const twice = star.reduce(
      (area, x, at) => (at % 2 === 0 ? area + x * ends[at + 1]! - ends[at]! * star[at + 1]! : area),
      0,
    )
    expect(sum).toBeCloseTo(Math.abs(twice) / 2, 5)
  }
})

test('an outline with more than a million curved pieces is too large, and other requests are answered meanwhile', async () => {
  const star = randomStar(seededRandom(3), { x: 500, y: -500, size: 400, vertices: 400 })
  const bent = {
    ...source,
    positionOf: ({ lat, lng }: { lat: number; lng: number }) => ({ x: lng + Math.sin(1e6 * lat), y: -lat }),
  }
  let pauses = 0
  const yieldToEventLoop = () => {
    pauses++
    return null
  }
  const error: unknown = await visitCoveredCells(bent, [star], { budget, yieldToEventLoop }, () => {}).catch(
    (it: unknown) => it,
  )
  expect(error).toBeInstanceOf(UpstreamError)
  expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('Simplify it') })
  expect(pauses).toBeGreaterThan(200)
})
