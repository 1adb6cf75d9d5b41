import { numberText } from '../value-text.ts'
import { runPace } from './pace.ts'
import type { LiveRun } from './use-run.ts'

/** Shows the progress of a run, its speed and the estimated remaining time. */
export function RunProgressCard({ live: { run, samples, isReconnecting } }: { live: LiveRun }) {
  const { total, done, failed } = run.progress
  const pace = runPace(samples, run.progress)
  const percent = Math.floor((done / Math.max(1, total)) * 100)
  return (
    <section class="card runs-progress" aria-label="Progress">
      <div class="runs-progress__head">
        <b>{percent} %</b>
        <span>
          {numberText(done)} of {numberText(total)} rows{failed > 0 && `, ${numberText(failed)} failed`}
        </span>
      </div>
      <div
        class="progress"
        role="progressbar"
        aria-label="Rows done"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      <p class="soft small" role="status">
        {isReconnecting
          ? 'Connection lost. Reconnecting; the run continues.'
          : pace
            ? `${numberText(Math.round(pace.rows_per_second * 10) / 10)} rows per second, ${durationText(pace.left_seconds)} left.`
            : run.status === 'queued'
              ? 'Waiting in the queue.'
              : 'Started.'}{' '}
        You can leave this page.
      </p>
    </section>
  )
}

function durationText(seconds: number): string {
  if (seconds < 10) return 'a few seconds'
  if (seconds < 90) return `about ${numberText(Math.round(seconds / 5) * 5)} seconds`
  if (seconds < 5400) return `about ${numberText(Math.round(seconds / 60))} minutes`
  return `about ${numberText(Math.round(seconds / 360) / 10)} hours`
}
