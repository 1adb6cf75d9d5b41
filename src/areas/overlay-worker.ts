import { createJobWorker, JobTimeoutError, type JobWorker } from '../async/job-worker.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import type { GeometryForArea, MeasuredPolygon, MeasureJob } from '../geo/geometry-jobs.ts'
import { runOverlay, type GridRings, type OverlayJob, type SplitRings } from '../geo/overlay.ts'
import { overlaySteps, ownThreadSteps } from '../geo/overlay-steps.ts'
import { UpstreamError, ValidationError, type Violation } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { areaLimits } from './area-schema.ts'
import { isQuickToMeasure, measurePolygon } from './measure-polygon.ts'

/** Executes the work on the geometry of areas: small work at once, large work in a worker thread. */
export type OverlayWorker = {
  /**
   * Returns what executes the work of one area. Large work waits for each other and for that of other areas; work whose
   * signal aborts before its turn is not started. When the work of an area takes too long, the rest fails with the
   * {UpstreamError} `too_large`. Waiting does not count. `admit` runs the measurement of a large area when it may begin.
   */
  geometryForArea: GeometryForArea
  close(): void
}

/** Work with its rings packed, because objects are slow to copy to another thread. */
export type PackedJob =
  | { kind: 'overlay'; rings: PackedRings; at: PackedRings | null; fillRule: OverlayJob['fillRule'] }
  | { kind: 'measure'; job: MeasureJob }
export type PackedReply = { shared: PackedRings; rest: PackedRings } | PackedMeasurement | { violations: Violation[] }
type PackedMeasurement = Omit<MeasuredPolygon, 'rings'> & { rings: PackedRings }
/** For each ring, the number of its vertices and their coordinates. */
type PackedRings = Float64Array<ArrayBuffer>

/** An area has many jobs, one after the other. The worker keeps its thread for the next one. */
const idle_ms = 1000

/**
 * Creates the worker. Overlays take the square of the number of edges that lie side by side, so that a hostile polygon
 * of 10,000 vertices would stop all other requests for seconds.
 */
export function createOverlayWorker(startWorker: () => Worker, max_ms: number = areaLimits.overlay_ms): OverlayWorker {
  const worker: OverlayThread = createJobWorker(startWorker, idle_ms)
  return {
    geometryForArea(budget, admit = (work) => work()) {
      const work = new AreaWork(worker, max_ms, budget)
      return {
        overlay: (job) => work.overlay(job),
        measure: (job) => (isQuickToMeasure(job) ? measurePolygon(job) : admit(() => work.measure(job))),
      }
    },
    close: worker.close,
  }
}

type OverlayThread = JobWorker<PackedJob, PackedReply>

/** The work of one area, and the time that is left for it. */
class AreaWork {
  readonly #worker: OverlayThread
  readonly #budget: Pick<Budget, 'signal'>
  #left_ms: number
  #lastInWorker: Promise<unknown> = Promise.resolve()

  constructor(worker: OverlayThread, max_ms: number, budget: Pick<Budget, 'signal'>) {
    this.#worker = worker
    this.#budget = budget
    this.#left_ms = max_ms
  }

  overlay(job: OverlayJob): MaybePromise<SplitRings> {
    const begin_ms = performance.now()
    this.#requireTime()
    if (overlaySteps(job) > ownThreadSteps) return this.#overlayInWorker(job)
    const split = runOverlay(job)
    this.#left_ms -= performance.now() - begin_ms
    return split
  }

  async #overlayInWorker({ rings, at, fillRule }: OverlayJob): Promise<SplitRings> {
    const pack = (): PackedJob => ({ kind: 'overlay', rings: packRings(rings), at: at && packRings(at), fillRule })
    const reply = await this.#runInTurn(pack)
    if (!('rest' in reply)) throw new Error('The overlay worker replied to another message.')
    return { shared: unpackRings(reply.shared), rest: unpackRings(reply.rest) }
  }

  /** @throws {ValidationError} for a fault of the polygons. */
  async measure(job: MeasureJob): Promise<MeasuredPolygon> {
    const reply = await this.#runInTurn(() => ({ kind: 'measure', job }))
    if ('violations' in reply) throw new ValidationError(reply.violations)
    if (!('point' in reply)) throw new Error('The overlay worker replied to another message.')
    return { ...reply, rings: unpackRings(reply.rings) }
  }

  /** The worker gets one job of the area at a time, so that those of other areas get their turn in between. */
  #runInTurn(pack: () => PackedJob): Promise<PackedReply> {
    const reply = this.#lastInWorker.then(() => this.#runInWorker(pack()))
    this.#lastInWorker = reply.catch(() => {})
    return reply
  }

  async #runInWorker(job: PackedJob): Promise<PackedReply> {
    this.#requireTime()
    const transfer = job.kind === 'overlay' ? [job.rings.buffer, ...(job.at ? [job.at.buffer] : [])] : []
    let begin_ms = Infinity
    const onStart = () => (begin_ms = performance.now())
    const options = { timeout_ms: this.#left_ms, transfer, signal: this.#budget.signal, onStart }
    try {
      return await this.#worker.run(job, options)
    } catch (cause) {
      throw cause instanceof JobTimeoutError ? tooLargeError({ cause }) : cause
    } finally {
      this.#left_ms -= Math.max(0, performance.now() - begin_ms)
    }
  }

  #requireTime(): void {
    if (this.#left_ms <= 0) throw tooLargeError()
  }
}

function tooLargeError(options?: ErrorOptions): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The outline takes longer than ${areaLimits.overlay_ms / 1000} s to compare with the features here. Simplify it, or ask about a smaller area.`,
    options,
  )
}

export function packRings(rings: GridRings): PackedRings {
  const packed = new Float64Array(rings.reduce((sum, ring) => sum + 1 + 2 * ring.length, 0))
  let at = 0
  for (const ring of rings) {
    packed[at++] = ring.length
    for (const { x, y } of ring) {
      packed[at++] = x
      packed[at++] = y
    }
  }
  return packed
}

export function unpackRings(packed: PackedRings): GridRings {
  const rings: GridRings = []
  for (let at = 0; at < packed.length;) {
    const ring: GridRings[number] = []
    const end = at + 1 + 2 * packed[at]!
    for (at++; at < end; at += 2) ring.push({ x: packed[at]!, y: packed[at + 1]! })
    rings.push(ring)
  }
  return rings
}
