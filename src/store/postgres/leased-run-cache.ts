import { RunAttempts } from '../runs/run-attempts.ts'
import { hasItsRun, rowRangeColumns, type RowRange } from '../runs/run-slices.ts'
import type { PostgresQuery } from './postgres-pool.ts'

/**
 * A run under a lease of this worker, as it is stored. Only this worker changes it, and every change increases `seq`.
 * `answered` has a 1 for each location with a result, by its index.
 */
type CachedRun = { seq: number; attempts: RunAttempts; answered: Uint8Array; rows: RowRange }
type RunRow = RowRange & { seq: number; attempts: string }

const runColumns = `seq, attempts, ${rowRangeColumns}`

/** Caches the runs under the leases of an epoch, so that a write needs no read before it. */
export class LeasedRunCache {
  readonly #query: PostgresQuery
  readonly #epoch: number
  readonly #runs = new Map<number, CachedRun>()

  constructor(query: PostgresQuery, epoch: number) {
    this.#query = query
    this.#epoch = epoch
  }

  /**
   * Returns a run and removes it from the cache, because what is stored is not known until the next write has
   * succeeded. Returns null if the lease is lost.
   */
  async take(number: number): Promise<CachedRun | null> {
    const known = this.#runs.get(number)
    this.#runs.delete(number)
    return known ?? this.#read(number)
  }

  /** Caches a run as it was stored. */
  set(number: number, run: CachedRun): void {
    this.#runs.set(number, run)
  }

  forget(number: number): void {
    this.#runs.delete(number)
  }

  /** Finds the run as it was stored last, even if another worker has its lease. */
  async find(number: number): Promise<Omit<CachedRun, 'seq'>> {
    const known = this.#runs.get(number)
    if (known) return known
    const [found] = await this.#query<RunRow>(`SELECT ${runColumns} FROM runs WHERE number = $1`, number)
    return this.#withAnswered(found ?? { run: number, first: 0, end: 0, seq: 0, attempts: '[]' })
  }

  async #read(number: number): Promise<CachedRun | null> {
    const [found] = await this.#query<RunRow>(
      `SELECT ${runColumns} FROM runs WHERE number = $1 AND epoch = $2 AND status = 'running'
         AND ${hasItsRun}`,
      number,
      this.#epoch,
    )
    return found ? this.#withAnswered(found) : null
  }

  async #withAnswered({ seq, attempts, ...rows }: RunRow): Promise<CachedRun> {
    const answered = new Uint8Array(rows.end)
    const blocks = await this.#query<{ idx: number; rows: number }>(
      'SELECT idx, rows FROM run_results WHERE idx < $3 AND idx + rows > $2 AND run = $1',
      rows.run,
      rows.first,
      rows.end,
    )
    for (const block of blocks) answered.fill(1, block.idx, block.idx + block.rows)
    return { seq, attempts: RunAttempts.parse(attempts), answered, rows }
  }
}
