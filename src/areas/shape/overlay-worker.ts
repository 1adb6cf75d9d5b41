import { availableParallelism } from 'node:os'
import { createGarbageCollector } from '../../async/collect-garbage.ts'
import { createSharedYieldToEventLoop } from '../../async/incremental-task.ts'
import { createJobPool, type JobPool } from '../../async/job-pool.ts'
import { buffersOf, JobTimeoutError, type JobOptions } from '../../async/job-worker.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { growRings, isQuickToGrow } from '../../geo/overlay/buffer.ts'
import { draw, isQuickToDraw } from '../../geo/overlay/drawing.ts'
import type { MeasuredPolygon, MeasureJob, OpenGeometryRunner } from '../../geo/overlay/geometry-jobs.ts'
import { runOverlay, type OverlayJob, type RunOverlay, type SplitRings } from '../../geo/overlay/overlay.ts'
import { isQuickToOverlay, overlayMax_vertices, verticesOf } from '../../geo/overlay/overlay-steps.ts'
import { UpstreamError, ValidationError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import { areaLimits } from '../area-schema.ts'
import { packRings, unpackRings, type GeometryMessage, type GeometryMessages } from './geometry-messages.ts'
import { isQuickToMeasure, measurePolygon } from './measure-polygon.ts'

/** Executes work on geometry: small work at once, large work in worker threads. */
export type OverlayWorker = {
  /**
   * Returns what opens the runners of an account. Large work of a request is done one after the other, and accounts take
   * turns; work whose signal aborts before its turn is not started. When the work of a request takes too long, the rest
   * fails with the {UpstreamError} `too_large`. Waiting does not count.
   */
  forAccount(account: string): OpenGeometryRunner
  close(): void
}

/** Event loop turns end after this time, so that other requests are answered meanwhile. */
const slice_ms = 10
/** The pieces of a hostile polygon are megabytes of young garbage. A full collection would take 60 ms and more. */
const slicesBetweenCollections = 10
/** An area has many jobs, one after the other. The worker keeps its thread for the next one. */
const idle_ms = 1000

/**
 * Creates the worker. Overlays take the square of the number of edges that lie side by side, so that a hostile polygon
 * of 10,000 vertices would stop all other requests for seconds.
 */
export function createOverlayWorker(startWorker: () => Worker, max_ms: number = areaLimits.overlay_ms): OverlayWorker {
  const pool: OverlayPool = createJobPool(startWorker, { threads: overlayThreads(), idle_ms })
  const yieldFor = createSharedYieldToEventLoop(slice_ms, createGarbageCollector(slicesBetweenCollections, Infinity))
  const forAccount =
    (account: string): OpenGeometryRunner =>
    (budget, admit = (work) => work()) => {
      const work = new GeometryWork((message, options) => pool.run(account, message, options), max_ms, budget)
      const yieldToEventLoop = yieldFor(account)
      const overlay: RunOverlay = (job) => andThen(yieldToEventLoop(), () => work.overlay(job))
      return {
        overlay,
        measure: (job) => (isQuickToMeasure(job) ? measurePolygon(job, overlay) : admit(() => work.measure(job))),
        grow: (job) => (isQuickToGrow(job) ? growRings(job) : work.runInTurn('grow', () => job)),
        draw: (job) => (isQuickToDraw(job) ? draw(job) : work.runInTurn('draw', () => job)),
        yieldToEventLoop,
      }
    }
  return { forAccount, close: pool.close }
}

/** One thread serves one account while others wait, so that there are at least two. Each may take 150 MB. */
function overlayThreads(): number {
  return Math.min(4, Math.max(2, availableParallelism()))
}

type OverlayPool = JobPool<GeometryMessage, unknown>
type RunInPool = (message: GeometryMessage, options: JobOptions) => Promise<unknown>

/** The work of one request, and the time that is left for it. */
class GeometryWork {
  readonly #runInPool: RunInPool
  readonly #budget: Pick<Budget, 'signal'>
  #left_ms: number
  #lastInWorker: Promise<unknown> = Promise.resolve()

  constructor(runInPool: RunInPool, max_ms: number, budget: Pick<Budget, 'signal'>) {
    this.#runInPool = runInPool
    this.#budget = budget
    this.#left_ms = max_ms
  }

  overlay(job: OverlayJob): MaybePromise<SplitRings> {
    const begin_ms = performance.now()
    this.#requireTime()
    if (!isQuickToOverlay(job)) return this.#overlayInWorker(job)
    const split = runOverlay(job)
    this.#left_ms -= performance.now() - begin_ms
    return split
  }

  async #overlayInWorker({ rings, at, fillRule }: OverlayJob): Promise<SplitRings> {
    if (verticesOf(rings, at) > overlayMax_vertices)
      throw new UpstreamError(
        'too_large',
        `An overlay here has more than ${overlayMax_vertices.toLocaleString('en-US')} positions. Simplify the outline, or ask about a smaller area.`,
      )
    const pack = () => ({ rings: packRings(rings), at: at && packRings(at), fillRule })
    const { shared, rest } = await this.runInTurn('overlay', pack)
    return { shared: unpackRings(shared), rest: unpackRings(rest) }
  }

  /** @throws {ValidationError} for a fault of the polygons. */
  async measure(job: MeasureJob): Promise<MeasuredPolygon> {
    const reply = await this.runInTurn('measure', () => job)
    if ('violations' in reply) throw new ValidationError(reply.violations)
    return { ...reply, rings: unpackRings(reply.rings) }
  }

  /** The worker gets one job of the request at a time, so that those of other requests get their turn in between. */
  runInTurn<Kind extends keyof GeometryMessages>(
    kind: Kind,
    pack: () => GeometryMessages[Kind]['job'],
  ): Promise<GeometryMessages[Kind]['reply']> {
    const reply = this.#lastInWorker.then(() => this.#runInWorker({ kind, job: pack() } as GeometryMessage))
    this.#lastInWorker = reply.catch(() => {})
    return reply as Promise<GeometryMessages[Kind]['reply']>
  }

  async #runInWorker(message: GeometryMessage): Promise<unknown> {
    this.#requireTime()
    let begin_ms = Infinity
    const onStart = () => (begin_ms = performance.now())
    const transfer = buffersOf(message.job)
    const options = { timeout_ms: this.#left_ms, signal: this.#budget.signal, onStart, transfer }
    try {
      return await this.#runInPool(message, options)
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
