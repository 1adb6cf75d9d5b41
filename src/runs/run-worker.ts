import { ApiError } from '../model/error.ts'
import type { Log } from '../log.ts'
import type { Answering } from './answering.ts'
import { diskRefusal, storageFull } from '../store/disk.ts'
import { workerLossesMax } from './finish.ts'
import type { FromWorker, Order, Outcomes, RunQuestion, RunState, ToWorker } from './messages.ts'

/**
 * The worker of the runs, as the main thread sees it. One that dies, or works without end, is replaced at once; whoever waited for it is told
 * `worker_lost`. Only a cancel is sent again to the next worker: it has the same effect however often it is carried out.
 */
export type RunWorker = {
  order<Name extends Order['do']>(what: Extract<Order, { do: Name }>): Promise<Outcomes[Name]>
  /** Starts it when it is not there. */
  start(): void
  isThere(): boolean
  /** How many workers were lost in the last ten minutes. */
  recentLosses(): number
  close(): void
}

export type RunWorkerMeans = { startWorker: () => Worker; folder: string; answering: Answering; changed(state: RunState): void; log: Log; look_ms?: number }

const ordersMax = 256
const retryAfter_s = 1
/** One that dies sooner than this after its start, as the one before it did, is replaced only after a pause. */
const young_ms = 1000
/** It is looked after this often, and lost when it has said nothing for so many looks: it may itself wait ten seconds for its turn to write. */
const look_ms = 1000
const looksMax = 20
const recent_ms = 600_000

/** `cancel`: what is sent again to the next worker. Anything else would only be held here for longer. */
type Waiting = { cancel: Order | null; losses: number; resolve: (outcome: never) => void; reject: (error: Error) => void }

export function openRunWorker({ startWorker, folder, answering, changed, log, look_ms: every_ms = look_ms }: RunWorkerMeans): RunWorker {
  const orders = new Map<number, Waiting>()
  const questions = new Map<number, AbortController>()
  let worker: Worker | null = null
  let pause: ReturnType<typeof setTimeout> | undefined
  let began_ms = 0
  let youngDeaths = 0
  let silentLooks = 0
  const looking = setInterval(look, every_ms).unref()
  let isFirst = true
  let count = 0
  let lossTimes_ms: number[] = []

  return {
    order(what) {
      if (orders.size >= ordersMax) throw new ApiError('worker_lost', `${ordersMax} orders wait for the worker of the runs.`, { retry_after_s: retryAfter_s })
      const id = ++count
      const to = started()
      const outcome = new Promise<never>((resolve, reject) => orders.set(id, { cancel: what.do === 'cancel' ? what : null, losses: 0, resolve, reject }))
      say(to, { order: id, what })
      return outcome
    },
    start: () => void started(),
    isThere: () => worker !== null,
    recentLosses: () => lossesAfter(performance.now() - recent_ms).length,
    close() {
      clearInterval(looking)
      clearTimeout(pause)
      end('was closed')
      for (const id of orders.keys()) reject(id)
    },
  }

  function started(): Worker {
    if (worker) return worker
    const it = startWorker()
    worker = it
    began_ms = performance.now()
    silentLooks = 0
    it.onmessage = ({ data }: MessageEvent<FromWorker>) => heard(it, data)
    it.onerror = (event) => {
      event.preventDefault()
      if (it === worker) replace(`failed: ${event.message}`)
    }
    it.addEventListener('close', () => {
      if (it === worker) replace('ended')
    })
    say(it, { open: { folder, isFirst } })
    isFirst = false
    for (const [order, { cancel }] of orders) if (cancel) say(it, { order, what: cancel })
    return it
  }

  /** Counts looks, not time: a machine that slept, or a thread that stood still, is no fault of the worker. */
  function look(): void {
    if (!worker) return
    if (silentLooks++ >= looksMax) replace('gave no sign of life')
    else say(worker, { look: true })
  }

  function heard(from: Worker, it: FromWorker): void {
    if (from !== worker) return
    silentLooks = 0
    if ('alive' in it) return
    if ('changed' in it) changed(it.changed)
    else if ('ask' in it) void answered(from, it.ask, it.question)
    else if ('drop' in it) questions.get(it.drop)?.abort()
    else if ('trouble' in it) log.error('runs', { about: it.trouble, message: it.message })
    else if ('relief' in it) log.info('runs', { about: it.relief, message: 'It works again.', failed: it.spell.times, seconds: it.spell.seconds })
    else {
      const waiting = orders.get(it.order)
      orders.delete(it.order)
      if ('refused' in it) waiting?.reject(it.refused.code === 'storage_full' ? storageFull() : diskRefusal(Object.assign(new Error(), { code: 'SQLITE_READONLY' })))
      else waiting?.resolve(it.outcome as never)
    }
  }

  async function answered(by: Worker, ask: number, question: RunQuestion): Promise<void> {
    const leaving = new AbortController()
    questions.set(ask, leaving)
    const answer = await answering(question, leaving.signal)
    if (questions.get(ask) === leaving) questions.delete(ask)
    if (by === worker && !leaving.signal.aborted) say(by, { asked: ask, answered: answer })
  }

  function replace(why: string): void {
    log.error('run_worker_lost', { why })
    const now_ms = performance.now()
    lossTimes_ms = [...lossesAfter(now_ms - recent_ms), now_ms]
    youngDeaths = now_ms - began_ms < young_ms ? youngDeaths + 1 : 0
    end(why)
    for (const [id, waiting] of orders) if (!waiting.cancel || ++waiting.losses > workerLossesMax) reject(id)
    if (youngDeaths > 1) pause = setTimeout(() => void started(), young_ms)
    else started()
  }

  function end(why: string): void {
    const it = worker
    worker = null
    it?.terminate()
    for (const leaving of questions.values()) leaving.abort(new Error(why))
    questions.clear()
  }

  function reject(id: number): void {
    const waiting = orders.get(id)
    orders.delete(id)
    waiting?.reject(new ApiError('worker_lost', 'The worker of the runs stopped before it answered this request. Send the request again: with the same Idempotency-Key it is never carried out twice.', { retry_after_s: retryAfter_s }))
  }

  function lossesAfter(time_ms: number): number[] {
    return lossTimes_ms.filter((at_ms) => at_ms > time_ms)
  }

  function say(to: Worker, message: ToWorker): void {
    to.postMessage(message, [])
  }
}
