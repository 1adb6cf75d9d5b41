import { expect, test } from 'bun:test'
import { convexRingOf } from '../../src/geo/overlay/convex-ring.ts'
import { runOverlay, type GridRings } from '../../src/geo/overlay/overlay.ts'
import { seededRandom } from '../areas/random-polygons.ts'

type Ring = GridRings[number]

const random = seededRandom(40)

/** Places on a circle, in order. */
function circle(size: number, angles: number[]): Ring {
  return angles.map((angle) => ({ x: Math.round(size * Math.cos(angle)), y: Math.round(size * Math.sin(angle)) }))
}

function randomRing(): Ring {
  const size = 2 ** (6 + 36 * random())
  const count = 3 + Math.floor((random() < 0.05 ? 200 : 8) * random())
  const [width, height, slant] = [size, size, size].map((it) => 20 + Math.round(it * random())) as [
    number,
    number,
    number,
  ]
  const rings: Ring[] = [
    [
      { x: 0, y: 0 },
      { x: width, y: 0 },
      { x: width, y: height },
      { x: 0, y: height },
    ],
    [
      { x: 0, y: 0 },
      { x: width, y: 0 },
      { x: width + slant, y: height },
      { x: -slant, y: random() < 0.5 ? height : 2 * height },
    ],
    Array.from({ length: 3 + Math.floor(5 * random()) }, () => ({
      x: Math.round(size * random()),
      y: Math.round(size * random()),
    })),
    circle(
      size,
      Array.from({ length: count }, (_, i) => (2 * Math.PI * i) / count),
    ),
    circle(
      size,
      Array.from({ length: count }, () => 2 * Math.PI * random()).toSorted((a, b) => a - b),
    ),
  ]
  const ring = rings[Math.floor(rings.length * random())]!
  const start = Math.floor(ring.length * random())
  const turned = [...ring.slice(start), ...ring.slice(0, start)]
  return random() < 0.5 ? turned : turned.toReversed()
}

test('a convex ring is returned as the overlay returns it', () => {
  let convex = 0
  for (let i = 0; i < 5000; i++) {
    const ring = randomRing()
    const found = convexRingOf(ring)
    if (!found) continue
    convex++
    const { shared } = runOverlay({ rings: [ring], at: null, fillRule: 'even_odd' })
    expect([found]).toEqual(shared.map((it) => it.map(({ x, y }) => ({ x, y }))))
  }
  expect(convex).toBeGreaterThan(3000)
})

test.each([
  ['a dent', '0,0 900,0 900,900 450,450 0,900'],
  ['a crossing', '0,0 900,900 900,0 0,900'],
  ['a vertex on a straight edge', '0,0 450,0 900,0 900,900 0,900'],
  ['a repeated vertex', '0,0 900,0 900,0 900,900 0,900'],
  ['two turns around', '0,0 900,0 900,900 0,900 0,100 800,100 800,800 100,800'],
  ['a star with turns in one direction', '0,1000 590,-810 -950,310 950,310 -590,-810'],
  ['too little area', '17,75 32,58 1,93'],
])('a ring with %s is not convex', (_, text) => {
  const ring = text.split(' ').map((position) => {
    const [x, y] = position.split(',').map(Number) as [number, number]
    return { x, y }
  })
  expect(convexRingOf(ring)).toBeNull()
})
