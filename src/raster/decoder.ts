import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { CellArray, ChunkFormat } from './decode.ts'
import { abortable, noDeadline } from '../async/deadline.ts'
import { deflateSync } from 'node:zlib'

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

/** Creates sample tiles. Decoding them makes the worker compile its code before the first real tile. */
export function createWarmUpTiles(): { bytes: Uint8Array; format: ChunkFormat }[] {
  const [deflated, lzw] = [deflateSync(new Uint8Array(side * side)), encodeLzw(codeCount)]
  return Array.from({ length: rounds }, () => [
    { bytes: deflated, format: { ...format, compression: 'deflate' as const } },
    { bytes: lzw, format: { ...format, compression: 'lzw' as const } },
  ]).flat()
}

const side = 64
const rounds = 8
/** Half of the codes stand for at least two bytes, so they fill a tile. */
const codeCount = 3_500
const format = {
  width: side,
  rows: side,
  fullRows: side,
  stride: 1,
  sampleIndex: 0,
  sampleType: 'uint8',
  predictor: 2,
  littleEndian: true,
} as const

/** LZW data with literals and back references in all code widths. */
function encodeLzw(count: number): Uint8Array {
  const bytes = new Uint8Array(2 * count)
  let bitOffset = 0
  const writeCode = (code: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--, bitOffset++)
      bytes[bitOffset >> 3]! |= ((code >> bit) & 1) << (7 - (bitOffset & 7))
  }
  writeCode(256, 9)
  for (let n = 0; n < count; n++)
    writeCode(n % 2 === 0 ? (7 * n) % 256 : 258 + (n >> 1), n < 254 ? 9 : n < 766 ? 10 : n < 1_790 ? 11 : 12)
  return bytes
}
