import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'

const retryAfter_s = 1

/** The admission gate: so many locations in work, so many waiting in order; whoever comes after that is turned away at once. */
export type Gate = {
  /** Runs the work inside the gate. Throws `fetch_busy` at once when the queue is full; a caller who goes away gives up the place. */
  through<T>(work: () => Promise<T>, budget: Budget): Promise<T>
  occupancy(): { working: number; waiting: number }
}

/** `passed` is told of each piece of work that is done. */
export function openGate(concurrency: number, queue: number, passed: () => void = () => {}): Gate {
  let working = 0
  const waiting = new Set<() => void>()
  return {
    async through(work, budget) {
      if (working >= concurrency) await turn(budget)
      else working++
      try {
        return await work()
      } finally {
        pass()
        passed()
      }
    },
    occupancy: () => ({ working, waiting: waiting.size }),
  }

  /** Waits until a place is passed on: the number in work stays as it is. */
  function turn({ signal }: Budget): Promise<void> {
    signal.throwIfAborted()
    if (waiting.size >= queue) throw new ApiError('fetch_busy', 'All places are taken and the queue is full: try again in a moment.', { retry_after_s: retryAfter_s })
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter)
        reject(signal.reason as Error)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  function pass(): void {
    const [next] = waiting
    if (!next) {
      working--
      return
    }
    waiting.delete(next)
    next()
  }
}
