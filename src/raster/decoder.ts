import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { CellArray, ChunkFormat } from './decode.ts'
import { createWarmUpTiles } from './warm-up-tiles.ts'
import { abortable } from '../async/abortable.ts'

/** What the worker is asked, and what it answers. */
export type DecodeJob = { id: number; bytes: Uint8Array; format: ChunkFormat }
export type DecodeReply = { id: number; cells: CellArray } | { id: number; code: UpstreamCode; message: string }

/** The part of a worker that is used. */
export type StartWorker = () => Worker

/** Decodes tiles off the main thread. A worker that dies, or works without end, fails those who wait for it and is replaced at the next tile. */
export type Decoder = {
  decode(bytes: Uint8Array, format: ChunkFormat, budget: Budget): Promise<CellArray>
  /** Has the worker ready before the first tile; it keeps no process alive. */
  start(): void
  close(): void
}

const jobsMax = 256
/** The largest tile takes a second. */
const defaultTimeout_ms = 15_000

type PendingJob = { resolve: (cells: CellArray) => void; reject: (error: Error) => void }

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
    const error = new UpstreamError('worker_lost', `The worker that decodes rasters ${reason}.`)
    for (const { reject } of pendingJobs.values()) reject(error)
    pendingJobs.clear()
  }
  // Every answer shows that it lives; it has this long for the next one.
  const resetTimer = () => {
    if (timer) clearTimeout(timer)
    timer =
      pendingJobs.size === 0
        ? null
        : setTimeout(() => failWorker(`gave no answer for ${timeout_ms / 1000} s`), timeout_ms)
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
      if (created === worker) failWorker('ended')
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
      throw new UpstreamError('fetch_busy', `${jobsMax} tiles of rasters wait to be decoded.`)
    worker ??= createWorker()
    const id = ++lastJobId
    const cells = new Promise<CellArray>((resolve, reject) => pendingJobs.set(id, { resolve, reject }))
    // A copy: a part of a long buffer would be sent as the whole of it (and what a Buffer slices is a part).
    const copy = new Uint8Array(bytes)
    worker.postMessage({ id, bytes: copy, format } satisfies DecodeJob, [copy.buffer])
    if (pendingJobs.size === 1) resetTimer()
    return abortable(cells, signal)
  }
  return {
    decode,
    start() {
      if (worker) return
      // Nobody waits for these: a worker that is lost with them is replaced at the first true tile, and what is wrong is told then.
      for (const { bytes, format } of createWarmUpTiles()) decode(bytes, format, noDeadline).catch(() => {})
    },
    close() {
      failWorker('was closed')
    },
  }
}

const noDeadline = { signal: new AbortController().signal }
