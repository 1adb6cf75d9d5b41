import { useEffect, useState } from 'preact/hooks'
import { pluralize } from '../../model/text.ts'
import type { RunSummary, RunEntry, RunResultsPage } from '../../runs/report/run-summary.ts'
import { describeUploadReading } from '../../runs/upload/upload-reading.ts'
import type { PageProps } from '../dashboard.ts'
import { EmptyState, Loaded, ErrorNotice } from '../components/notices.tsx'
import { PageHeader } from '../components/headings.tsx'
import { StatusBadge, Timestamp, ReasonText } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { ResultView } from './result-view.tsx'
import { RunActions } from './run-actions.tsx'
import { RunMissing } from './run-missing.tsx'
import { hasResult, isRunActive, runKindLabels, runStatusBadge, runPace } from './run-progress.ts'
import { usePageTitle } from '../use-page-title.ts'
import { useRun, type LiveRun } from './use-run.ts'
import { Button } from '../components/buttons.tsx'
import { useAction, useRequest } from '../use-request.ts'

/** The page of one run: its progress, then its result. */
export function RunDetailPage({ dashboard }: PageProps) {
  const { api, router, catalogStore } = dashboard
  const run_id = router.location.value.parts.run_id ?? ''
  const [live, reload] = useRun(api, run_id)
  useEffect(() => catalogStore.load(), [])
  usePageTitle(live.status === 'loaded' ? runTitleOf(live.value.run) : null)
  if (live.status === 'failed' && live.error.code === 'run_not_found') {
    return (
      <>
        <PageHeader title="Run" />
        <EmptyState title="Run not found">
          It may have expired, or it may belong to another account. <a href="/runs">Show your runs</a>
        </EmptyState>
      </>
    )
  }
  if (live.status !== 'loaded')
    return (
      <>
        <PageHeader title="Run" />
        <Loaded state={live} retry={reload} lines={6}>
          {() => null}
        </Loaded>
      </>
    )
  const { run } = live.value
  return (
    <>
      <PageHeader title={runTitleOf(run)} actions={<RunActions dashboard={dashboard} run={run} onChange={reload} />}>
        <RunFacts run={run} />
      </PageHeader>
      {run.read && <p class="soft small">{describeUploadReading(run.read)}</p>}
      {run.error && (
        <p class="notice notice--bad" role="alert">
          <span>
            <ReasonText text={run.error.message} /> <code class="notice__code">{run.error.error}</code>
          </span>
        </p>
      )}
      {isRunActive(run) && <RunProgressCard live={live.value} />}
      {hasResult(run) && hasFailures(run) && <RunMissing key={`${run_id} missing`} dashboard={dashboard} run={run} />}
      {hasResult(run) && run.progress.failed > 0 && run.kind !== 'area_batch' && (
        <FailedRows key={`${run_id} failed`} dashboard={dashboard} run={run} />
      )}
      {hasResult(run) && <ResultView key={run_id} dashboard={dashboard} run={run} />}
    </>
  )
}

function runTitleOf(run: RunSummary): string {
  return run.name ?? runContentText(run)
}

/** Returns what a run fetches, and for how many places. */
function runContentText({ kind, progress: { total } }: RunSummary): string {
  return `${runKindLabels[kind]} of ${pluralize(total, 'place')}`
}

function hasFailures({ progress, values }: RunSummary): boolean {
  return progress.failed > 0 || (values?.failed ?? 0) > 0
}

function RunFacts({ run }: { run: RunSummary }) {
  const { failed } = run.progress
  return (
    <span class="runs-about">
      <StatusBadge {...runStatusBadge(run)} />
      {run.name !== null && <span>{runContentText(run)}</span>}
      {failed > 0 && !isRunActive(run) && <span>{pluralize(failed, 'failed row')}</span>}
      <span>
        created <Timestamp at={run.created_at} />
      </span>
      <RunDuration run={run} />
      {run.retry_of !== null && (
        <span>
          retry of <a href={`/runs/${run.retry_of}`}>another run</a>
        </span>
      )}
      {run.expires_at !== null && (
        <span>
          expires <Timestamp at={run.expires_at} />
        </span>
      )}
    </span>
  )
}

function RunDuration({ run: { started_at, finished_at } }: { run: RunSummary }) {
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

/** Shows the progress of a run, its speed and the estimated remaining time. */
function RunProgressCard({ live: { run, samples, isReconnecting } }: { live: LiveRun }) {
  const { total, done, failed } = run.progress
  const pace = runPace(samples, run.progress)
  const percent = Math.floor((done / Math.max(1, total)) * 100)
  return (
    <section class="card runs-progress stack stack--3" aria-label="Progress">
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

type FailedEntry = Extract<RunEntry, { ok: false }>

const shownMax = 50

/** The failed rows of a run, each with a text that corrects it. Only rows with a text are answered again. */
function FailedRows({ dashboard: { api, router }, run }: PageProps & { run: RunSummary }) {
  const { failed } = run.progress
  const [page, reload] = useRequest(
    (signal) => api.get<RunResultsPage>(`${run.links.results}?status=failed&limit=${shownMax}`, signal),
    [run.run_id],
  )
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map())
  const corrections = [...texts]
    .filter(([, text]) => text.trim() !== '')
    .map(([index, text]) => ({ index, ...locationOf(text.trim(), run) }))
  const retry = useAction(
    () => api.post<{ run_id: string }>(run.links.retry, { corrections }),
    ({ run_id }) => router.navigate(`/runs/${run_id}`),
  )
  if (page.status === 'failed') return <ErrorNotice error={page.error} retry={reload} />
  if (page.status === 'loading') return null
  return (
    <details class="runs-corrections no-print">
      <summary>Correct {pluralize(failed, 'failed row')}</summary>
      {failed > shownMax && <p class="soft small">The first {shownMax} are listed.</p>}
      <ul>
        {(page.value.items as FailedEntry[]).map((entry) => (
          <CorrectedRow
            key={entry.index}
            entry={entry}
            text={texts.get(entry.index) ?? ''}
            onText={(text) => setTexts(new Map(texts).set(entry.index, text))}
          />
        ))}
      </ul>
      <Button icon="refresh" disabled={retry.isBusy || corrections.length === 0} onClick={() => retry.start()}>
        {corrections.length === 0 ? 'Retry corrected rows' : `Retry ${pluralize(corrections.length, 'corrected row')}`}
      </Button>
      {retry.error && <span role="alert"> {retry.error.message}</span>}
    </details>
  )
}

type RowProps = { entry: FailedEntry; text: string; onText: (text: string) => void }

function CorrectedRow({ entry: { index, error }, text, onText }: RowProps) {
  return (
    <li>
      <label class="field">
        <span>
          Row {numberText(index + 1)}: <ReasonText text={error.message} />
        </span>
        <input
          class="input"
          value={text}
          placeholder="New coordinate or address"
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      {suggestionsOf(error).map((suggestion) => (
        <Button key={suggestion} look="small" onClick={() => onText(suggestion)}>
          Use {suggestion}
        </Button>
      ))}
    </li>
  )
}

/** The texts that an error suggests: a coordinate that was probably meant, or the addresses that match. */
function suggestionsOf({ suggestion, candidates }: Record<string, unknown>): string[] {
  if (typeof suggestion === 'string') return [suggestion]
  if (!Array.isArray(candidates)) return []
  return candidates.flatMap(({ resolved_address }: { resolved_address?: unknown }) =>
    typeof resolved_address === 'string' ? [resolved_address] : [],
  )
}

const coordinatePattern = /^(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)$/

function locationOf(text: string, { kind }: RunSummary) {
  if (kind !== 'fetch_batch') return { input: text }
  const [, lat, lng] = coordinatePattern.exec(text) ?? []
  return lat === undefined ? { address: text } : { lat: Number(lat), lng: Number(lng) }
}
