import type { RunReader, StoredRun } from '../store/runs/runs.ts'
import type { RunState } from './worker-messages.ts'

/** How often a run is read for changes by other servers on the same database. */
const poll_ms = 500

/** The state of a run, as its listeners receive it. */
export function runStateOf({ id, status, total, done, ok, seq }: StoredRun): RunState {
  return { run_id: id, status, total, done, ok, seq }
}

/** Notifies listeners of the changes of runs. A listener can receive a state twice, and ignores it then by its `seq`. */
export class RunListeners {
  readonly #reader: RunReader
  readonly #isShared: boolean
  readonly #listeners = new Map<string, Set<(state: RunState) => void>>()

  /** `isShared`: other servers change runs of the same database. */
  constructor(reader: RunReader, isShared: boolean) {
    this.#reader = reader
    this.#isShared = isShared
  }

  /** Reports a change by the worker of this process. */
  notify(state: RunState): void {
    this.#listeners.get(state.run_id)?.forEach((onChange) => onChange(state))
  }

  /** Calls `onChange` for every change from now on. Returns the function that unsubscribes. */
  add(account_id: string, run_id: string, onChange: (state: RunState) => void): () => void {
    const runListeners = this.#listeners.get(run_id) ?? new Set()
    this.#listeners.set(run_id, runListeners.add(onChange))
    const timer = this.#isShared ? setInterval(() => void poll(this.#reader), poll_ms) : undefined
    return () => {
      clearInterval(timer)
      runListeners.delete(onChange)
      if (runListeners.size === 0 && this.#listeners.get(run_id) === runListeners) this.#listeners.delete(run_id)
    }

    /** Reads the run and reports its state. After a failed read, the next one reports it. */
    async function poll(reader: RunReader): Promise<void> {
      const run = await reader.find(run_id, account_id).catch(() => null)
      if (run) onChange(runStateOf(run))
    }
  }
}

/** Measures for how long the unfinished runs have made no progress. */
export class ProgressClock {
  readonly #reader: RunReader
  readonly #isShared: boolean
  #last_ms = performance.now()
  /** The counts of the unfinished runs at the last check, on a shared database. */
  #lastCounts = ''

  /** `isShared`: other servers answer runs of the same database. */
  constructor(reader: RunReader, isShared: boolean) {
    this.#reader = reader
    this.#isShared = isShared
  }

  /** Records progress. */
  restart(): void {
    this.#last_ms = performance.now()
  }

  /** Restarts the clock before a submission if all runs are finished: the time without runs does not count. */
  async restartBeforeFirst(): Promise<void> {
    if (!(await this.#reader.hasUnfinished())) this.restart()
  }

  /** Returns the seconds since the last progress, also that of other servers; 0 if all runs are finished. */
  async stalled_s(): Promise<number> {
    if (!(await this.#reader.hasUnfinished())) return 0
    const counts = this.#isShared ? JSON.stringify(await this.#reader.countUnfinished()) : ''
    if (counts !== this.#lastCounts) this.restart()
    this.#lastCounts = counts
    return (performance.now() - this.#last_ms) / 1000
  }
}
