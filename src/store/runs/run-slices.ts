import type { Statements, Step } from '../sql.ts'
import type { StoredRun } from './runs.ts'

/**
 * A run with more locations than this has slices: consecutive locations that a worker answers under a lease of its own,
 * so that several workers answer one run. A slice is a row of `runs` with its own counts. The locations and results are
 * those of the run. A worker adopts a run with slices when all of them have ended, and writes its result files.
 */
export const unslicedMax_rows = 10_000
/** Three servers answer 20 slices of 100,000 locations in 7 turns, which is 0.35 of the time of one. */
export const sliceMax_rows = 5000

/** The id of a slice: that of its run, and the index of its first location. No client sees it. */
export function sliceIdOf(run_id: string, first_idx: number): string {
  return `${run_id}/${first_idx}`
}

/** The id of a run, or of the run of a slice. */
export function runIdOf({ id }: Pick<StoredRun, 'id'>): string {
  return id.split('/', 1)[0]!
}

/** A run or a slice as its worker holds it. `whole`: the run of a slice, if the same statement has changed it. */
export type LeasedRun = StoredRun & { whole?: StoredRun | null | undefined }

/** Finds the row of a run or slice among changed rows, and for a slice the row of its run. */
export function leasedRunOf(changed: readonly StoredRun[], number: number): LeasedRun | null {
  const own = changed.find((run) => run.number === number)
  return own ? { ...own, whole: changed.find((run) => run.number === own.slice_of) } : null
}

/** Where the locations and results of a run or slice are: those of `run` from `first` to before `end`. */
export type RowRange = { run: number; first: number; end: number }

/** The columns of `runs` that make a `RowRange`. */
export const rowRangeColumns = 'coalesce(slice_of, number) AS run, first_idx AS first, first_idx + total AS "end"'

/** Whether the run still exists; for a slice, whether its run does. */
export const hasItsRun = 'coalesce(slice_of, number) IN (SELECT number FROM runs)'

/**
 * Whether a worker may adopt the run or slice `r`: no slice of the run is unfinished, and the worker has no other slice
 * of the same run. `epoch`: the parameter with its epoch.
 */
export function isReady(epoch: string): string {
  const other = "SELECT 1 FROM runs s WHERE s.status IN ('queued', 'running') AND s.slice_of ="
  return `NOT EXISTS (${other} r.number)
    AND NOT EXISTS (${other} r.slice_of AND s.number <> r.number AND s.epoch = ${epoch})`
}

/** The run of a slice starts with its first slice. Returns the run if it does. */
export function* startWhole(sql: Statements, { slice_of }: StoredRun, now: number): Step<StoredRun | null> {
  if (slice_of === null) return null
  return yield* sql.get<StoredRun>(
    "UPDATE runs SET status = 'running', started_at = $now, seq = seq + 1 WHERE number = $slice_of AND status = 'queued' RETURNING *",
    { slice_of, now },
  )
}

/** Ends the unfinished slices of a run. Their workers lose their leases, so they can write no more. */
export function endSlices(sql: Statements, run: number): Step<number> {
  return sql.run(
    `UPDATE runs SET status = 'cancelled', epoch = NULL WHERE slice_of = $run AND status IN ('queued', 'running')`,
    { run },
  )
}
