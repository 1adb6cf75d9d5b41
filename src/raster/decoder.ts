import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { Cells, ChunkForm } from './decode.ts'
import { firstTiles } from './first-tiles.ts'
import { abortable } from '../async/abortable.ts'

/** What the worker is asked, and what it answers. */
export type DecodeJob = { id: number; bytes: Uint8Array; form: ChunkForm }
export type DecodeReply = { id: number; cells: Cells } | { id: number; code: UpstreamCode; message: string }

/** The part of a worker that is used. */
export type StartWorker = () => Worker

/** Decodes tiles off the main thread. A worker that dies, or works without end, fails those who wait for it and is replaced at the next tile. */
export type Decoder = {
  decode(bytes: Uint8Array, form: ChunkForm, budget: Budget): Promise<Cells>
  /** Has the worker ready before the first tile; it keeps no process alive. */
  start(): void
  close(): void
}

const jobsMax = 256
/** The largest tile takes a second. */
const work_ms = 15_000

type Waiting = { resolve: (cells: Cells) => void; reject: (error: Error) => void }

export function openDecoder(startWorker: StartWorker, limit_ms = work_ms): Decoder {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let clock: ReturnType<typeof setTimeout> | null = null
  let count = 0

  const lose = (why: string) => {
    worker?.terminate()
    worker = null
    if (clock) clearTimeout(clock)
    clock = null
    const error = new UpstreamError('worker_lost', `The worker that decodes rasters ${why}.`)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  // Every answer shows that it lives; it has this long for the next one.
  const wind = () => {
    if (clock) clearTimeout(clock)
    clock = waiting.size === 0 ? null : setTimeout(() => lose(`gave no answer for ${limit_ms / 1000} s`), limit_ms)
    if (waiting.size === 0) worker?.unref()
    else worker?.ref()
  }
  const started = (): Worker => {
    const it = startWorker()
    it.onerror = (event) => {
      event.preventDefault()
      if (it === worker) lose(`failed: ${event.message}`)
    }
    it.addEventListener('close', () => {
      if (it === worker) lose('ended')
    })
    it.onmessage = ({ data }: MessageEvent<DecodeReply>) => {
      const job = waiting.get(data.id)
      waiting.delete(data.id)
      wind()
      if ('cells' in data) job?.resolve(data.cells)
      else job?.reject(new UpstreamError(data.code, data.message))
    }
    return it
  }
  const decode: Decoder['decode'] = (bytes, form, { signal }) => {
    if (waiting.size >= jobsMax) throw new UpstreamError('fetch_busy', `${jobsMax} tiles of rasters wait to be decoded.`)
    worker ??= started()
    const id = ++count
    const cells = new Promise<Cells>((resolve, reject) => waiting.set(id, { resolve, reject }))
    // A copy: a part of a long buffer would be sent as the whole of it (and what a Buffer slices is a part).
    const own = new Uint8Array(bytes)
    worker.postMessage({ id, bytes: own, form } satisfies DecodeJob, [own.buffer])
    if (waiting.size === 1) wind()
    return abortable(cells, signal)
  }
  return {
    decode,
    start() {
      if (worker) return
      // Nobody waits for these: a worker that is lost with them is replaced at the first true tile, and what is wrong is told then.
      for (const { bytes, form } of firstTiles()) decode(bytes, form, noHurry).catch(() => {})
    },
    close() {
      lose('was closed')
    },
  }
}

const noHurry = { signal: new AbortController().signal }
