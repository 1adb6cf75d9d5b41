import type { Runs } from './runs/runs.ts'
import type { Scheduler } from './scheduler.ts'
import type { RestartCounter } from './workers.ts'

/** Something that makes no progress although it should: its kind and name, and why it counts as stuck. */
export type StuckWork = { kind: 'runs' | 'worker' | 'job'; name: string; reason: string }

const stalledAfter_s = 60
const restartsMin = 3

/** Finds stuck work: runs without progress for a minute, a worker that was restarted three times, overdue jobs. */
export async function findStuckWork({
  runs,
  restarts,
  scheduler,
}: {
  runs: Pick<Runs, 'health'>
  restarts: RestartCounter
  scheduler: Scheduler
}): Promise<StuckWork[]> {
  const { stalled_s } = await runs.health()
  const stalledRuns: StuckWork[] =
    stalled_s < stalledAfter_s
      ? []
      : [
          {
            kind: 'runs',
            name: 'runs',
            reason: `There are unfinished runs, and no location was answered for ${Math.floor(stalled_s)} s.`,
          },
        ]
  return [
    ...stalledRuns,
    ...restarts
      .recentRestarts()
      .filter((it) => it.restarts >= restartsMin)
      .map(({ worker, restarts: count }) => ({
        kind: 'worker' as const,
        name: worker,
        reason: `The ${worker} worker was restarted ${count} times in the last 10 minutes.`,
      })),
    ...scheduler.overdueJobs().map(({ name, due_at }) => ({
      kind: 'job' as const,
      name,
      reason: `The job was due at ${due_at.toISOString()} and has not succeeded since.`,
    })),
  ]
}
