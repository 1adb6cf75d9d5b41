import { afterAll, describe, expect, test } from 'bun:test'
import { overlaySteps, ownThreadSteps } from '../../src/geo/overlay-steps.ts'
import { createOverlayWorker, packRings, unpackRings } from '../../src/areas/overlay-worker.ts'
import { runOverlay, type GridRings, type OverlayJob, type SplitRings } from '../../src/geo/overlay.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { workers } from '../../src/workers.ts'

const size = 2 ** 44
const never = new AbortController().signal

/** A comb with teeth from south to north: every tooth lies beside all others. */
function comb(vertices: number, depth = 1): GridRings {
  const teeth = Array.from({ length: vertices - 2 }, (_none, i) => ({
    x: Math.round((i / vertices) * size),
    y: Math.round(i % 2 === 0 ? size / 10 : size * depth),
  }))
  return [[...teeth, { x: size, y: 0 }, { x: 0, y: 0 }]]
}

/** A circle of many short edges. */
function circle(vertices: number): GridRings {
  const at = (i: number) => (2 * Math.PI * i) / vertices
  return [
    Array.from({ length: vertices }, (_none, i) => ({
      x: Math.round((0.5 + 0.4 * Math.cos(at(i))) * size),
      y: Math.round((0.5 + 0.4 * Math.sin(at(i))) * size),
    })),
  ]
}

const split = (rings: GridRings, at: GridRings): OverlayJob => ({ rings, at, fillRule: 'non_zero' })

/** The coordinates of a result, without the members that the library adds. */
const packed = ({ shared, rest }: SplitRings) => ({ shared: packRings(shared), rest: packRings(rest) })

let starts = 0
const startWorker = () => {
  starts++
  return workers.overlay()
}
const worker = createOverlayWorker(startWorker)
afterAll(() => worker.close())

describe('an overlay', () => {
  test('of a parcel and a county runs in this thread', async () => {
    const job = split(circle(20), circle(2000))
    expect(overlaySteps(job)).toBeLessThan(ownThreadSteps)
    expect(packed(await worker.run(job, never))).toEqual(packed(runOverlay(job)))
    expect(starts).toBe(0)
  })

  test.each([
    ['many edges side by side', split(comb(600), circle(600))],
    ['many vertices', split(circle(4000), circle(3000))],
    ['a union', { rings: [...comb(600), ...circle(600)], at: null, fillRule: 'even_odd' }],
  ] as [string, OverlayJob][])('of %s runs in the worker thread, with the same result', async (_, job) => {
    const before = starts
    expect(overlaySteps(job)).toBeGreaterThan(ownThreadSteps)
    expect(packed(await worker.run(job, never))).toEqual(packed(runOverlay(job)))
    expect(starts).toBe(before + 1)
  })

  test('that takes too long fails, and the next one is executed', async () => {
    const impatient = createOverlayWorker(startWorker, 1)
    const overlay = Promise.resolve(impatient.run(split(comb(4000), comb(4000, 0.9)), never))
    const error: unknown = await overlay.catch((it: unknown) => it)
    expect(error).toBeInstanceOf(UpstreamError)
    expect((error as UpstreamError).code).toBe('too_large')
    const job = split(comb(600), circle(600))
    expect(packed(await worker.run(job, never))).toEqual(packed(runOverlay(job)))
  })

  test('whose request has ended is not started', async () => {
    const before = starts
    const running = worker.run(split(comb(600), circle(600)), never)
    expect(worker.run(split(comb(601), circle(600)), AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
    await running
    expect(starts).toBe(before + 1)
  })
})

test('packed rings are the same rings', () => {
  const rings = [...comb(50), ...circle(7), []]
  expect(unpackRings(packRings(rings))).toEqual(rings)
})
