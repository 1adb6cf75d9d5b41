import { createJobWorker, JobTimeoutError, type JobWorker } from '../async/job-worker.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import { runOverlay, type GridRings, type OverlayJob, type RunOverlay, type SplitRings } from '../geo/overlay.ts'
import { overlaySteps, ownThreadSteps } from '../geo/overlay-steps.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { areaLimits } from './area-schema.ts'

/** Executes overlays of areas: small ones at once, large ones in a worker thread. */
export type OverlayWorker = {
  /**
   * Returns what executes the overlays of one area. Large ones wait for each other and for those of other areas; one
   * whose signal aborts before its turn is not started. When the work of all takes too long, the rest fails with the
   * {UpstreamError} `too_large`. Waiting does not count.
   */
  overlaysForArea(budget: Pick<Budget, 'signal'>): RunOverlay
  close(): void
}

/** An overlay with its rings packed, because objects are slow to copy to another thread. */
export type PackedOverlayJob = { rings: PackedRings; at: PackedRings | null; fillRule: OverlayJob['fillRule'] }
export type PackedSplit = { shared: PackedRings; rest: PackedRings }
/** For each ring, the number of its vertices and their coordinates. */
type PackedRings = Float64Array<ArrayBuffer>

/** An area has many overlays, one after the other. The worker keeps its thread for the next one. */
const idle_ms = 1000

/**
 * Creates the worker. Overlays take the square of the number of edges that lie side by side, so that a hostile polygon
 * of 10,000 vertices would stop all other requests for seconds.
 */
export function createOverlayWorker(startWorker: () => Worker, max_ms: number = areaLimits.overlay_ms): OverlayWorker {
  const worker: OverlayThread = createJobWorker(startWorker, idle_ms)
  return {
    overlaysForArea(budget) {
      const overlays = new AreaOverlays(worker, max_ms, budget)
      return (job) => overlays.run(job)
    },
    close: worker.close,
  }
}

type OverlayThread = JobWorker<PackedOverlayJob, PackedSplit>

/** The overlays of one area, and the time that is left for them. */
class AreaOverlays {
  readonly #worker: OverlayThread
  readonly #budget: Pick<Budget, 'signal'>
  #left_ms: number
  #lastInWorker: Promise<unknown> = Promise.resolve()

  constructor(worker: OverlayThread, max_ms: number, budget: Pick<Budget, 'signal'>) {
    this.#worker = worker
    this.#budget = budget
    this.#left_ms = max_ms
  }

  run(job: OverlayJob): MaybePromise<SplitRings> {
    const begin_ms = performance.now()
    this.#requireTime()
    if (overlaySteps(job) > ownThreadSteps) return this.#runInTurn(job)
    const split = runOverlay(job)
    this.#left_ms -= performance.now() - begin_ms
    return split
  }

  /** The worker gets one overlay of the area at a time, so that those of other areas get their turn in between. */
  #runInTurn(job: OverlayJob): Promise<SplitRings> {
    const split = this.#lastInWorker.then(() => this.#runInWorker(job))
    this.#lastInWorker = split.catch(() => {})
    return split
  }

  async #runInWorker(job: OverlayJob): Promise<SplitRings> {
    this.#requireTime()
    const packed = { ...job, rings: packRings(job.rings), at: job.at && packRings(job.at) }
    const transfer = [packed.rings.buffer, ...(packed.at ? [packed.at.buffer] : [])]
    let begin_ms = Infinity
    const onStart = () => (begin_ms = performance.now())
    const options = { timeout_ms: this.#left_ms, transfer, signal: this.#budget.signal, onStart }
    try {
      const { shared, rest } = await this.#worker.run(packed, options)
      return { shared: unpackRings(shared), rest: unpackRings(rest) }
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
