import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'

const retryAfter_s = 1

/** The patient (the runs) hold no more than this part of the places. */
const patientPart = 1 / 4

/** The admission gate: so many locations in work, so many waiting in order; whoever comes after that is turned away at once. */
export type Gate = {
  /**
   * Runs the work inside the gate. Throws `fetch_busy` at once when the queue is full; a caller who goes away gives up the place.
   * The patient are never turned away: they wait behind everybody else, in a queue of their own that has no end.
   */
  through<T>(work: () => Promise<T>, budget: Budget, how?: { patient: true }): Promise<T>
  occupancy(): { working: number; waiting: number }
  /** For how long nobody but the patient has come. */
  quiet_ms(): number
}

/** `passed` is told of each piece of work that is done. */
export function openGate(concurrency: number, queue: number, passed: () => void = () => {}): Gate {
  let working = 0
  let patientWorking = 0
  let came_ms = -Infinity
  const patientMax = Math.max(1, Math.floor(concurrency * patientPart))
  const waiting = new Set<() => void>()
  const patient = new Set<() => void>()
  return {
    async through(work, budget, how) {
      if (!how) came_ms = performance.now()
      if (how) await patientTurn(budget)
      else if (working >= concurrency) await turn(budget)
      else working++
      try {
        return await work()
      } finally {
        if (how) patientWorking--
        working--
        pass()
        passed()
      }
    },
    occupancy: () => ({ working, waiting: waiting.size }),
    quiet_ms: () => performance.now() - came_ms,
  }

  function turn(budget: Budget): Promise<void> {
    budget.signal.throwIfAborted()
    if (waiting.size >= queue) throw busy('All places are taken and the queue is full: try again in a moment.')
    return placeIn(waiting, budget)
  }

  async function patientTurn(budget: Budget): Promise<void> {
    budget.signal.throwIfAborted()
    if (mayEnterPatiently()) enterPatiently()
    else await placeIn(patient, budget)
  }

  /** Waits until a place is given: whoever gives it has counted it. */
  function placeIn(line: Set<() => void>, { signal, until_ms }: Budget): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = (reason: Error) => {
        line.delete(enter)
        signal.removeEventListener('abort', leave)
        clearTimeout(timer)
        reject(reason)
      }
      const leave = () => left(signal.reason as Error)
      const timer = until_ms === undefined ? undefined : setTimeout(() => left(busy('No place became free in time: try again in a moment.')), until_ms - performance.now())
      const enter = () => {
        signal.removeEventListener('abort', leave)
        clearTimeout(timer)
        resolve()
      }
      line.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  function busy(message: string): ApiError {
    return new ApiError('fetch_busy', message, { retry_after_s: retryAfter_s })
  }

  function pass(): void {
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      working++
      return next()
    }
    const [last] = patient
    if (!last || !mayEnterPatiently()) return
    patient.delete(last)
    enterPatiently()
    last()
  }

  function mayEnterPatiently(): boolean {
    return waiting.size === 0 && working < concurrency && patientWorking < patientMax
  }

  function enterPatiently(): void {
    working++
    patientWorking++
  }
}
