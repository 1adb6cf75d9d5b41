import type { RunReader } from '../store/runs/runs.ts'

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
