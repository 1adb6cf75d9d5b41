import { useEffect } from 'preact/hooks'
import type { RunSummary } from '../../runs/run-summary.ts'
import type { PageProps } from '../dashboard.ts'
import { Empty } from '../parts/empty.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { numberText } from '../parts/value.ts'
import { Progress } from './progress.tsx'
import { ResultView } from './result-view.tsx'
import { RunActions } from './run-actions.tsx'
import { hasRows, isUnderWay, kindWords, statusOf } from './status-words.ts'
import { useRun } from './use-run.ts'

/** One run: how far it is while it goes on, and then what came out. */
export function Run({ dashboard }: PageProps) {
  const { api, address, library } = dashboard
  const run_id = address.at.value.parts.run_id ?? ''
  const [live, again] = useRun(api, run_id)
  useEffect(() => library.open(), [])
  if (live.state === 'waiting')
    return (
      <>
        <PageHead title="Run" />
        <Skeleton lines={6} />
      </>
    )
  if (live.state === 'failed' && live.fault.code === 'run_not_found') {
    return (
      <>
        <PageHead title="Run" />
        <Empty title="There is no such run">
          <p>
            It may be past its time, or of somebody else.{' '}
            <Link to="/runs" dashboard={dashboard}>
              To your runs
            </Link>
          </p>
        </Empty>
      </>
    )
  }
  if (live.state === 'failed')
    return (
      <>
        <PageHead title="Run" />
        <Fault fault={live.fault} again={again} />
      </>
    )
  const { run } = live.value
  const { total, failed } = run.progress
  return (
    <>
      <PageHead
        title={`${kindWords[run.kind]} of ${numberText(total)} ${total === 1 ? 'place' : 'places'}`}
        actions={<RunActions dashboard={dashboard} run={run} onChange={again} />}
      >
        <span class="runs-about">
          <Status {...statusOf(run)} />
          {failed > 0 && !isUnderWay(run) && <span>{numberText(failed)} failed</span>}
          <span>
            begun <Time at={run.created_at} />
          </span>
          <Taken run={run} />
          {run.retry_of !== null && (
            <span>
              a retry of{' '}
              <Link to={`/runs/${run.retry_of}`} dashboard={dashboard}>
                another run
              </Link>
            </span>
          )}
          {run.expires_at !== null && (
            <span>
              kept until <Time at={run.expires_at} />
            </span>
          )}
        </span>
      </PageHead>
      {run.error && (
        <p class="notice notice--bad" role="alert">
          {run.error.message} <code class="notice__code">{run.error.error}</code>
        </p>
      )}
      {isUnderWay(run) && <Progress live={live.value} />}
      {hasRows(run) && <ResultView key={run_id} dashboard={dashboard} run={run} />}
    </>
  )
}

function Taken({ run: { started_at, finished_at } }: { run: RunSummary }) {
  if (started_at === null || finished_at === null) return null
  const seconds = (Date.parse(finished_at) - Date.parse(started_at)) / 1000
  return (
    <span>
      took{' '}
      {seconds < 1
        ? 'less than a second'
        : seconds < 120
          ? `${numberText(Math.round(seconds))} s`
          : `${numberText(Math.round(seconds / 60))} minutes`}
    </span>
  )
}
