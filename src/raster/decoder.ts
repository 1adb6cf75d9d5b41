import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { CellArray, ChunkFormat } from './decode.ts'
import { createWarmUpTiles } from './warm-up-tiles.ts'
import { abortable, noDeadline } from '../async/deadline.ts'

/** A request to the worker. */
export type DecodeJob = { id: number; bytes: Uint8Array; format: ChunkFormat }
/** The reply of the worker: the cells of the tile, or the error. */
export type DecodeReply = { id: number; cells: CellArray } | { id: number; code: UpstreamCode; message: string }

/** Starts the worker thread that decodes tiles. */
export type StartWorker = () => Worker

/**
 * Decodes tiles in a worker thread. If the worker crashes or hangs, the pending jobs fail with `worker_lost` and the next
 * tile starts a new worker. /
 */
export type Decoder = {
  decode(bytes: Uint8Array, format: ChunkFormat, budget: Budget): Promise<CellArray>
  /** Starts the worker before the first tile. An idle worker does not keep the process alive. */
  start(): void
  close(): void
}

const jobsMax = 256
/** The largest tile takes one second to decode. */
const defaultTimeout_ms = 15_000

type PendingJob = { resolve: (cells: CellArray) => void; reject: (error: Error) => void }

/** Opens a decoder. `timeout_ms`: how long the worker may take between replies. */
export function openDecoder(startWorker: StartWorker, timeout_ms = defaultTimeout_ms): Decoder {
  const pendingJobs = new Map<number, PendingJob>()
  let worker: Worker | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let lastJobId = 0

  const failWorker = (reason: string) => {
    worker?.terminate()
    worker = null
    if (timer) clearTimeout(timer)
    timer = null
    const error = new UpstreamError('worker_lost', `The worker that decodes raster tiles ${reason}.`)
    for (const { reject } of pendingJobs.values()) reject(error)
    pendingJobs.clear()
  }
  // The timeout restarts with every reply.
  const resetTimer = () => {
    if (timer) clearTimeout(timer)
    timer =
      pendingJobs.size === 0
        ? null
        : setTimeout(() => failWorker(`did not respond for ${timeout_ms / 1000} s`), timeout_ms)
    if (pendingJobs.size === 0) worker?.unref()
    else worker?.ref()
  }
  const createWorker = (): Worker => {
    const created = startWorker()
    created.onerror = (event) => {
      event.preventDefault()
      if (created === worker) failWorker(`failed: ${event.message}`)
    }
    created.addEventListener('close', () => {
      if (created === worker) failWorker('exited')
    })
    created.onmessage = ({ data }: MessageEvent<DecodeReply>) => {
      const job = pendingJobs.get(data.id)
      pendingJobs.delete(data.id)
      resetTimer()
      if ('cells' in data) job?.resolve(data.cells)
      else job?.reject(new UpstreamError(data.code, data.message))
    }
    return created
  }
  const decode: Decoder['decode'] = (bytes, format, { signal }) => {
    if (pendingJobs.size >= jobsMax)
      throw new UpstreamError(
        'fetch_busy',
        `The raster decoder is busy: ${jobsMax} tiles are waiting. Retry in a moment.`,
      )
    worker ??= createWorker()
    const id = ++lastJobId
    const cells = new Promise<CellArray>((resolve, reject) => pendingJobs.set(id, { resolve, reject }))
    // Copied because transferring a slice would transfer its whole buffer.
    const copy = new Uint8Array(bytes)
    worker.postMessage({ id, bytes: copy, format } satisfies DecodeJob, [copy.buffer])
    if (pendingJobs.size === 1) resetTimer()
    return abortable(cells, signal)
  }
  return {
    decode,
    start() {
      if (worker) return
      // Errors are ignored: the first real tile starts a new worker and reports the error.
      for (const { bytes, format } of createWarmUpTiles()) decode(bytes, format, noDeadline).catch(() => {})
    },
    close() {
      failWorker('was closed')
    },
  }
}
