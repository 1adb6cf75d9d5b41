import { createJobWorker, JobWorkerError } from '../async/job-worker.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import { runOverlay, type GridRings, type OverlayJob, type SplitRings } from '../geo/overlay.ts'
import { overlaySteps, ownThreadSteps } from '../geo/overlay-steps.ts'
import { UpstreamError } from '../model/error.ts'

/** Executes overlays of areas: small ones at once, large ones in a worker thread. */
export type OverlayWorker = {
  /** Rejects with the {UpstreamError} `too_large` if the overlay takes too long. */
  run(job: OverlayJob, signal: AbortSignal): MaybePromise<SplitRings>
  close(): void
}

/** An overlay with its rings packed, because objects are slow to copy to another thread. */
export type PackedOverlayJob = { rings: PackedRings; at: PackedRings | null; fillRule: OverlayJob['fillRule'] }
export type PackedSplit = { shared: PackedRings; rest: PackedRings }
/** For each ring, the number of its vertices and their coordinates. */
type PackedRings = Float64Array<ArrayBuffer>

/** The longest overlay. One of a county and the flood zones of a county takes less than a second. */
const overlayMax_ms = 5000

/**
 * Creates the worker. Overlays take the square of the number of edges that lie side by side, so that a hostile polygon
 * of 10,000 vertices would stop all other requests for seconds.
 */
export function createOverlayWorker(startWorker: () => Worker, max_ms = overlayMax_ms): OverlayWorker {
  const worker = createJobWorker<PackedOverlayJob, PackedSplit>(startWorker)
  return {
    run: (job, signal) => (overlaySteps(job) <= ownThreadSteps ? runOverlay(job) : runInWorker(job, signal)),
    close: worker.close,
  }

  async function runInWorker(job: OverlayJob, signal: AbortSignal): Promise<SplitRings> {
    const packed = { ...job, rings: packRings(job.rings), at: job.at && packRings(job.at) }
    const transfer = [packed.rings.buffer, ...(packed.at ? [packed.at.buffer] : [])]
    const reply = await worker.run(packed, { timeout_ms: max_ms, transfer, signal }).catch((cause: unknown) => {
      if (!(cause instanceof JobWorkerError)) throw cause
      throw new UpstreamError('too_large', tooLargeMessage, { cause })
    })
    return { shared: unpackRings(reply.shared), rest: unpackRings(reply.rest) }
  }
}

const tooLargeMessage = `The outline takes longer than ${overlayMax_ms / 1000} s to compare with the features here. Simplify it, or ask about a smaller area.`

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
