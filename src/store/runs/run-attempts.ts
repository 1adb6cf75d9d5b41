import type { LocationAttempt } from './run-queue.ts'

/** Consecutive locations: the first, the last, the attempts of each, and whether the last attempt is open. */
type AttemptRange = [first: number, last: number, attempts: number, isOpen: 0 | 1]

/**
 * The attempts of the locations of a run that have no answer. An attempt is open from its start until its worker
 * writes an answer, releases the run or is lost.
 */
export class RunAttempts {
  readonly #locations = new Map<number, { attempts: number; isOpen: boolean }>()

  /** Reads the column `attempts` of a run. A damaged text has no attempts: one run must not stop all others. */
  static parse(text: string): RunAttempts {
    const parsed = new RunAttempts()
    for (const [first, last, attempts, isOpen] of parseRanges(text))
      for (let idx = first; idx <= last; idx++) parsed.#locations.set(idx, { attempts, isOpen: isOpen === 1 })
    return parsed
  }

  /** Returns the value of the column: a JSON list of ranges. */
  toString(): string {
    const ranges: AttemptRange[] = []
    for (const [idx, { attempts, isOpen }] of [...this.#locations].toSorted(([a], [b]) => a - b)) {
      const range = ranges.at(-1)
      const continues = range && range[1] === idx - 1 && range[2] === attempts && range[3] === Number(isOpen)
      if (continues) range[1] = idx
      else ranges.push([idx, idx, attempts, isOpen ? 1 : 0])
    }
    return JSON.stringify(ranges)
  }

  /** The locations with attempts. */
  get indexes(): number[] {
    return [...this.#locations.keys()]
  }

  /** The locations with an open attempt. */
  get openIndexes(): number[] {
    return this.indexes.filter((idx) => this.#locations.get(idx)!.isOpen)
  }

  /** The number of attempts of a location, with the open one. */
  countOf(idx: number): number {
    return this.#locations.get(idx)?.attempts ?? 0
  }

  /** Opens the next attempt of a location. */
  begin({ idx, attempts }: LocationAttempt): void {
    this.#locations.set(idx, { attempts: attempts + 1, isOpen: true })
  }

  /** Forgets the attempts of a location, because it has an answer. */
  remove(idx: number): void {
    this.#locations.delete(idx)
  }

  /** Closes all attempts. The given locations keep only their given number of attempts, without the open one. */
  release(locations: readonly LocationAttempt[]): void {
    for (const { idx, attempts } of locations) {
      if (attempts === 0) this.#locations.delete(idx)
      else this.#locations.set(idx, { attempts, isOpen: false })
    }
    this.#close()
  }

  /**
   * Closes the attempts of a lost worker. They count if one of them was open. Otherwise no location was the cause of
   * the loss, and all earlier attempts are forgotten.
   */
  settle(hasOpen = this.openIndexes.length > 0): void {
    if (hasOpen) this.#close()
    else this.#locations.clear()
  }

  #close(): void {
    for (const [idx, { attempts }] of this.#locations) this.#locations.set(idx, { attempts, isOpen: false })
  }
}

function parseRanges(text: string): AttemptRange[] {
  try {
    const ranges: unknown = JSON.parse(text)
    return Array.isArray(ranges) ? ranges.filter(isAttemptRange) : []
  } catch {
    return []
  }
}

function isAttemptRange(range: unknown): range is AttemptRange {
  return Array.isArray(range) && range.length === 4 && range.every((it) => Number.isInteger(it) && it >= 0)
}
