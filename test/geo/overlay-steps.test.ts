import { expect, test } from 'bun:test'
import { runOverlay, type GridRings } from '../../src/geo/overlay/overlay.ts'
import { fastestShear, overlaySteps } from '../../src/geo/overlay/overlay-steps.ts'

const size = 10 * 2 ** 40
const angles_degrees = [0, 10, 30, 45, 60, 100, 135, 170]

/** A comb whose teeth run at an angle to the parallels. */
function combAt(angle_degrees: number, teeth = 500): GridRings {
  const angle = (angle_degrees * Math.PI) / 180
  const width = size / teeth
  const places = Array.from({ length: teeth }, (_, i) => [
    [0.01 * size, i * width],
    [size, i * width],
    [size, (i + 0.5) * width],
    [0.01 * size, (i + 0.5) * width],
  ]).flat()
  return [
    [[0, 0], ...places, [0, size]].map(([x = 0, y = 0]) => ({
      x: size + Math.round(x * Math.cos(angle) - y * Math.sin(angle)),
      y: size + Math.round(x * Math.sin(angle) + y * Math.cos(angle)),
    })),
  ]
}

function areaOf(rings: GridRings): number {
  let sum = 0
  for (const ring of rings)
    for (const [i, b] of ring.entries()) {
      const a = ring.at(i - 1)!
      sum += (a.x * b.y - b.x * a.y) / 2
    }
  return Math.abs(sum)
}

test.each(angles_degrees)('a comb at %d degrees takes at most half of the steps after a shear', (angle_degrees) => {
  const job = { rings: combAt(angle_degrees), at: null, fillRule: 'even_odd' as const }
  const shear = fastestShear(job)
  const steps = overlaySteps(job)
  if (!shear) return expect(steps).toBeLessThan(250 * job.rings[0]!.length)
  expect(overlaySteps({ ...job, rings: shear.apply(job.rings) })).toBeLessThanOrEqual(steps / 2)
  expect(shear.revert(shear.apply(job.rings))).toEqual(job.rings)
})

test.each(angles_degrees)('a comb at %d degrees is split into parts that add up to it', (angle_degrees) => {
  const rings = combAt(angle_degrees)
  const at = [
    [
      { x: 1.2 * size, y: 0 },
      { x: 1.9 * size, y: size },
      { x: 1.3 * size, y: 2 * size },
      { x: 0, y: 1.4 * size },
    ],
  ]
  const { shared, rest } = runOverlay({ rings, at, fillRule: 'non_zero' })
  expect(areaOf(shared)).toBeGreaterThan(0)
  expect((areaOf(shared) + areaOf(rest)) / areaOf(rings)).toBeCloseTo(1, 9)
})

test('outlines without long edges side by side are not sheared', () => {
  const circle = Array.from({ length: 5000 }, (_, i) => ({
    x: Math.round(size * Math.cos((i * Math.PI) / 2500)),
    y: Math.round(size * Math.sin((i * Math.PI) / 2500)),
  }))
  expect(fastestShear({ rings: [circle], at: null })).toBeNull()
})
