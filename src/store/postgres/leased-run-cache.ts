import { RunAttempts } from '../runs/run-attempts.ts'
import type { PostgresQuery } from './postgres-pool.ts'

/**
 * A run under a lease of this worker, as it is stored. Only this worker changes it, and every change increases `seq`.
 * `answered` has a 1 for each location with a result.
 */
type LeasedRun = { seq: number; attempts: RunAttempts; answered: Uint8Array }

/** Caches the runs under the leases of an epoch, so that a write needs no read before it. */
export class LeasedRunCache {
  readonly #query: PostgresQuery
  readonly #epoch: number
  readonly #runs = new Map<number, LeasedRun>()

  constructor(query: PostgresQuery, epoch: number) {
    this.#query = query
    this.#epoch = epoch
  }

  /**
   * Returns a run and removes it from the cache, because what is stored is not known until the next write has
   * succeeded. Returns null if the lease is lost.
   */
  async take(number: number): Promise<LeasedRun | null> {
    const known = this.#runs.get(number)
    this.#runs.delete(number)
    return known ?? this.#read(number)
  }

  /** Caches a run as it was stored. */
  set(number: number, run: LeasedRun): void {
    this.#runs.set(number, run)
  }

  forget(number: number): void {
    this.#runs.delete(number)
  }

  /** Finds the run as it was stored last, even if another worker has its lease. */
  async find(number: number): Promise<Omit<LeasedRun, 'seq'>> {
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

  async #read(number: number): Promise<LeasedRun | null> {
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
