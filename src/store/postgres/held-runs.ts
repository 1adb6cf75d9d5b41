import { RunAttempts } from '../run-attempts.ts'
import type { PostgresQuery } from './postgres-pool.ts'

/**
 * A run that this worker holds, as it is stored. Only its worker changes it, and every change increases `seq`.
 * `answered` has a 1 for each location with a result.
 */
type HeldRun = { seq: number; attempts: RunAttempts; answered: Uint8Array }

/** Caches the runs that the worker of an epoch holds, so that a write needs no read before it. */
export class HeldRuns {
  readonly #query: PostgresQuery
  readonly #epoch: number
  readonly #runs = new Map<number, HeldRun>()

  constructor(query: PostgresQuery, epoch: number) {
    this.#query = query
    this.#epoch = epoch
  }

  /**
   * Returns a run and removes it from the cache, because what is stored is not known until the next write has
   * succeeded. Returns null if the lease is lost.
   */
  async take(number: number): Promise<HeldRun | null> {
    const known = this.#runs.get(number)
    this.#runs.delete(number)
    return known ?? this.#read(number)
  }

  /** Caches a run as it was stored. */
  set(number: number, run: HeldRun): void {
    this.#runs.set(number, run)
  }

  forget(number: number): void {
    this.#runs.delete(number)
  }

  /** Finds the run as it was stored last, even if another worker holds it. */
  async find(number: number): Promise<Omit<HeldRun, 'seq'>> {
    const known = this.#runs.get(number)
    if (known) return known
    const [found] = await this.#query<{ attempts: string; total: number }>(
      'SELECT attempts, total FROM runs WHERE number = $1',
      number,
    )
    return {
      attempts: RunAttempts.parse(found?.attempts ?? '[]'),
      answered: await this.#readAnswered(number, found?.total ?? 0),
    }
  }

  async #read(number: number): Promise<HeldRun | null> {
    const [found] = await this.#query<{ seq: number; attempts: string; total: number }>(
      "SELECT seq, attempts, total FROM runs WHERE number = $1 AND epoch = $2 AND status = 'running'",
      number,
      this.#epoch,
    )
    if (!found) return null
    return {
      seq: found.seq,
      attempts: RunAttempts.parse(found.attempts),
      answered: await this.#readAnswered(number, found.total),
    }
  }

  async #readAnswered(number: number, total: number): Promise<Uint8Array> {
    const answered = new Uint8Array(total)
    const blocks = await this.#query<{ idx: number; rows: number }>(
      'SELECT idx, rows FROM run_results WHERE run = $1',
      number,
    )
    for (const { idx, rows } of blocks) answered.fill(1, idx, idx + rows)
    return answered
  }
}
