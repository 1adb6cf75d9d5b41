import { afterAll, describe, expect, test } from 'bun:test'
import type { MaybePromise } from '../../src/async/maybe-promise.ts'
import { overlaySteps, ownThreadSteps } from '../../src/geo/overlay/overlay-steps.ts'
import { measurePolygon } from '../../src/areas/shape/measure-polygon.ts'
import { packRings, unpackRings } from '../../src/areas/shape/geometry-messages.ts'
import { createOverlayWorker } from '../../src/areas/shape/overlay-worker.ts'
import type { MeasureJob } from '../../src/geo/overlay/geometry-jobs.ts'
import { runOverlay, type GridRings, type OverlayJob, type SplitRings } from '../../src/geo/overlay/overlay.ts'
import { UpstreamError, ValidationError, type Violation } from '../../src/model/error.ts'
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

/** Opens an overlay worker that counts its threads. */
function openWorker() {
  const worker = createOverlayWorker(() => {
    opened.starts++
    return workers.overlay()
  })
  const opened = {
    starts: 0,
    openGeometryRunner: worker.forAccount('a'),
    overlaysForArea: (signal = never) => worker.forAccount('a')({ signal }).overlay,
  }
  closeLater.push(worker)
  return opened
}

/** Opens an overlay worker whose thread executes a script instead. */
function openScriptedWorker(script: string, max_ms: number) {
  const worker = createOverlayWorker(() => new Worker(`data:text/javascript,${encodeURIComponent(script)}`), max_ms)
  closeLater.push(worker)
  return worker
}

/** The code of the error of an overlay; null if there is none. */
async function failureOf(overlay: () => MaybePromise<SplitRings>): Promise<string | null> {
  try {
    await overlay()
    return null
  } catch (error) {
    return error instanceof UpstreamError ? error.code : String(error)
  }
}

const closeLater: { close(): void }[] = []
afterAll(() => closeLater.forEach((it) => it.close()))

const small = split(circle(20), circle(2000))
const large = split(comb(600), circle(600))
/** Replies with no rings. */
const reply = 'postMessage({ shared: new Float64Array(0), rest: new Float64Array(0) })'

describe('an overlay', () => {
  test('of a parcel and a county runs in this thread', async () => {
    const worker = openWorker()
    expect(overlaySteps(small)).toBeLessThan(ownThreadSteps)
    expect(packed(await worker.overlaysForArea()(small))).toEqual(packed(runOverlay(small)))
    expect(worker.starts).toBe(0)
  })

  test.each([
    ['many edges side by side', large],
    ['many vertices', split(circle(4000), circle(3000))],
    ['a union', { rings: [...comb(600), ...circle(600)], at: null, fillRule: 'even_odd' }],
  ] as [string, OverlayJob][])('of %s runs in the worker thread, with the same result', async (_, job) => {
    const worker = openWorker()
    expect(overlaySteps(job)).toBeGreaterThan(ownThreadSteps)
    expect(packed(await worker.overlaysForArea()(job))).toEqual(packed(runOverlay(job)))
    expect(worker.starts).toBe(1)
  })

  test('uses the thread of the one before', async () => {
    const worker = openWorker()
    await worker.overlaysForArea()(large)
    await worker.overlaysForArea()(large)
    expect(worker.starts).toBe(1)
  })

  test('of more vertices than the memory of a request allows is too large, and starts no thread', async () => {
    const worker = openWorker()
    const rings = Array.from({ length: 401 }, () => circle(1000)[0]!)
    expect(await failureOf(() => worker.overlaysForArea()({ rings, at: null, fillRule: 'non_zero' }))).toBe('too_large')
    expect(worker.starts).toBe(0)
  })

  test('whose request has ended is not started', async () => {
    const worker = openWorker()
    expect(await failureOf(() => worker.overlaysForArea(AbortSignal.abort(new Error('ended')))(large))).toBe(
      'Error: ended',
    )
    expect(worker.starts).toBe(0)
  })
})

describe('the overlays of an area', () => {
  // The limit doubles until a busy machine ends a short overlay within it.
  test('fail when one takes too long, and those of the next area are executed', async () => {
    const endless: OverlayJob = { ...large, at: null }
    for (let [max_ms, failed] = [500, 'too_large' as unknown]; failed !== null; max_ms *= 2) {
      const worker = openScriptedWorker(
        `self.onmessage = ({ data }) => { if (data.job.at === null) for (;;); ${reply} }`,
        max_ms,
      )
      const [slow, next] = [
        worker.forAccount('a')({ signal: never }).overlay,
        worker.forAccount('a')({ signal: never }).overlay,
      ]
      // The next area waits for as long as its own overlays may take.
      const failures = [endless, large, small].map((job) => failureOf(() => slow(job)))
      failed = await failureOf(() => next(large))
      expect(await Promise.all(failures)).toEqual(['too_large', 'too_large', null])
      expect(await failureOf(() => slow(small))).toBe('too_large')
    }
  })

  test('fail when all of them take too long, though each is short', async () => {
    for (let [max_ms, failed] = [1000, 'too_large' as unknown]; failed !== null; max_ms *= 2) {
      const wait = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${max_ms / 10})`
      const run = openScriptedWorker(`self.onmessage = () => { ${wait}; ${reply} }`, max_ms).forAccount('a')({
        signal: never,
      }).overlay
      const failures = await Promise.all(Array.from({ length: 12 }, () => failureOf(() => run(large))))
      failed = failures[0]
      expect(failures.at(-1)).toBe('too_large')
    }
  })

  test('fail with the error of the thread when it breaks, and the next one gets a new thread', async () => {
    const worker = openScriptedWorker(
      `self.onmessage = ({ data }) => { if (data.job.at === null) throw new Error('broken'); ${reply} }`,
      5000,
    )
    const run = worker.forAccount('a')({ signal: never }).overlay
    expect(await failureOf(() => run({ ...large, at: null }))).toContain('broken')
    expect(await failureOf(() => run(large))).toBeNull()
  })

  test('alternate with those of other areas', async () => {
    const worker = openScriptedWorker(`self.onmessage = () => ${reply}`, 5000)
    const [first, second] = [
      worker.forAccount('a')({ signal: never }).overlay,
      worker.forAccount('a')({ signal: never }).overlay,
    ]
    const order: string[] = []
    const runs = ['first', 'first', 'first', 'second'].map(async (area) => {
      await (area === 'first' ? first : second)(large)
      order.push(area)
    })
    await Promise.all(runs)
    expect(order).toEqual(['first', 'second', 'first', 'first'])
  })
})

describe('the measurement of an area', () => {
  const ring = (vertices: number) =>
    circle(vertices)[0]!.flatMap(({ x, y }): number[] => [-105 + x / size, 39 + y / size])
  const job = (vertices: number): MeasureJob => ({ kind: 'source', polygons: [[ring(vertices)]], loc: ['area'] })

  test.each([
    ['small', 100, 0],
    ['large', 8000, 1],
  ])('of a %s polygon is admitted and runs in the worker thread if it is large', async (_, vertices, admitted) => {
    const worker = openWorker()
    let admissions = 0
    const { measure } = worker.openGeometryRunner({ signal: never }, (work) => {
      admissions++
      return work()
    })
    expect(await measurePolygon(job(vertices))).toMatchObject(await measure(job(vertices)))
    expect([admissions, worker.starts]).toEqual([admitted, admitted])
  })

  test('of a small polygon waits for its turn before each overlay', async () => {
    const concave = [-105, 39, -104, 39, -104.5, 39.2, -104, 40, -105, 40]
    const small: MeasureJob = { kind: 'source', polygons: [[concave], [ring(20)]], loc: ['area'] }
    let turns = 0
    const inTurn = async (overlay: OverlayJob) => {
      await Promise.resolve(turns++)
      return runOverlay(overlay)
    }
    expect(await measurePolygon(small, inTurn)).toEqual(await measurePolygon(small))
    expect(turns).toBe(2)
  })

  test('in the worker thread has the same faults', async () => {
    const bowTie = [...ring(8000).slice(0, 12_000), -105, 39, -104.9, 39.9]
    const request: MeasureJob = { kind: 'request', type: 'Polygon', polygons: [[bowTie]], loc: ['coordinates'] }
    const expected = violationsOf(() => measurePolygon(request))
    const { measure } = openWorker().openGeometryRunner({ signal: never })
    expect((await expected)[0]!.msg).toContain('crosses')
    expect(await violationsOf(() => measure(request))).toEqual(await expected)
  })
})

async function violationsOf(measure: () => MaybePromise<unknown>): Promise<Violation[]> {
  try {
    await measure()
  } catch (error) {
    if (error instanceof ValidationError) return error.violations
    throw error
  }
  throw new Error('The polygons were accepted.')
}

test('packed rings are the same rings', () => {
  const rings = [...comb(50), ...circle(7), []]
  expect(unpackRings(packRings(rings))).toEqual(rings)
})
