import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { hasRunResult, runDocumentOf, runLinksOf, runSummaryOf } from '../../runs/report/run-document.ts'
import { resultFormats } from '../../runs/artifacts/result-text.ts'
import { isRunId } from '../../runs/run-id.ts'
import { runKinds } from '../../runs/run-kind.ts'
import { ApiError, ValidationError } from '../../model/error.ts'
import type { StoredRun } from '../../store/runs/runs.ts'
import { bodyMax_bytes } from '../request/body.ts'
import { accountOf, bodyQueueOf, readerOf, requireScope, withLocationQuota } from '../request/guard.ts'
import { artifactResponse } from './run-artifacts.ts'
import { readCorrections, requireCorrectable } from './run-corrections.ts'
import { pendingSubmissionOf } from './run-body.ts'
import { pacedJsonResponse } from './paced-stream.ts'
import { listViolations, literalViolations, parseBoolean, parsePaging } from '../request/paging.ts'
import { runEvents } from './run-events.ts'
import type { AcceptedRun } from './run-operations.ts'
import { resultsPageDefault, runResultRoutes } from './run-results.ts'

const waitMax_s = 30
const listMax = 100
const listDefault = 50
/** Above every run id. */
const aboveEveryRunId = 'run_~'

export const runRoutes = (app: App) =>
  new Elysia()
    .post('/v1/runs', ({ request, set }) => submitRun(request, set, app))
    .get('/v1/runs', ({ request }) => listRuns(accountOf(request), new URL(request.url).searchParams, app))
    .get('/v1/runs/:run_id', async ({ request, params: { run_id } }) => {
      const query = new URL(request.url).searchParams
      const violations = literalViolations(query, 'view', ['summary'])
      if (violations.length > 0) throw new ValidationError(violations)
      const run = await app.runs.find(accountOf(request), run_id)
      return query.get('view') === 'summary' ? runSummaryOf(run) : documentResponse(run, request, app)
    })
    .use(runResultRoutes(app))
    .get('/v1/runs/:run_id/events', ({ request, params: { run_id } }) =>
      runEvents(app, accountOf(request), run_id, request),
    )
    .use(artifactRoutes(app))
    .post('/v1/runs/:run_id/cancel', async ({ request, params: { run_id } }) =>
      runSummaryOf(await app.runs.cancel(accountOf(request), run_id)),
    )
    .post('/v1/runs/:run_id/retry', async ({ request, set, params: { run_id } }) =>
      acceptedResponse(await retryRun(request, run_id, app), set),
    )

function artifactRoutes(app: App) {
  const routes = new Elysia()
  for (const format of [...resultFormats, 'report' as const])
    routes.get(`/v1/runs/:run_id/artifacts/${format}`, async ({ request, params: { run_id } }) => {
      const run = await app.runs.find(accountOf(request), run_id)
      return artifactResponse(run, format, request, { runs: app.runs, reader: readerOf(request) })
    })
  return routes
}

/** The status and headers of a response that the router makes. */
export type ResponseSettings = { status?: number | string; headers: Record<string, unknown> }

async function submitRun(request: Request, set: ResponseSettings, app: App) {
  const account = accountOf(request)
  const isFresh = parseBoolean(new URL(request.url).searchParams, 'fresh')
  const { size_bytes, receive, read } = pendingSubmissionOf(request, {
    now: app.now(),
    convert: app.runs.convertWorkbook,
  })
  const upload = () =>
    app.runs.uploadQueue({
      account: account.id,
      size_bytes,
      receive,
      signal: request.signal,
      async handle(body) {
        const { key, hasParcels, ...submission } = await read(body)
        requireScope(request, runKinds[submission.kind].scope)
        if (submission.selection.include_parcel || hasParcels) requireScope(request, 'parcel')
        const counted =
          key && !isFresh && (await app.runs.isKeyUsed(account, key.key)) ? 0 : submission.locations.length
        return withLocationQuota(request, counted, () =>
          app.runs.submit(account, { ...submission, key: key && { ...key, isFresh } }),
        )
      },
    })
  const { run_id, replayed } = await (size_bytes <= bodyMax_bytes
    ? bodyQueueOf(request).run(request, account.id, upload)
    : upload())
  if (replayed) set.headers['idempotency-replayed'] = 'true'
  const wait_s = preferredWait_s(request)
  if (wait_s === 0) return acceptedResponse(await app.runs.find(account, run_id), set)
  set.headers['preference-applied'] = `wait=${wait_s}`
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(wait_s * 1000)])
  const run = await app.runs.waitUntilFinished(account, run_id, signal)
  if (run.finished_at === null) return acceptedResponse(run, set)
  return documentResponse(run, request, app).catch((error: unknown) => {
    // The run is submitted. An error would tell the client to submit it again.
    if (error instanceof ApiError && error.code === 'rate_limited') return acceptedResponse(run, set)
    throw error
  })
}

function acceptedResponse(run: StoredRun, set: ResponseSettings) {
  const body = acceptedBodyOf(run)
  set.status = 202
  set.headers.location = body.links.self
  return body
}

/** The body of the answer 202 about a run. */
export function acceptedBodyOf({ id, status, retry_of }: StoredRun): Static<typeof AcceptedRun> {
  const links = runLinksOf(id)
  return {
    run_id: id,
    status,
    ...(retry_of !== null && { retry_of }),
    poll: links.self,
    events: links.events,
    links,
  }
}

function documentResponse(run: StoredRun, request: Request, { runs }: App): Promise<Response> {
  const hasManyEntries = hasRunResult(run) && run.total > resultsPageDefault
  return pacedJsonResponse(
    () => runDocumentOf(run, runs.reader),
    readerOf(request),
    hasManyEntries ? { link: `<${runLinksOf(run.id).results}>; rel="alternate"; title="The entries in pages"` } : {},
  )
}

async function listRuns(account: Account, query: URLSearchParams, { runs, now }: App) {
  const key = query.get('idempotency_key')
  if (key !== null) {
    const run = await runs.findByKey(account, key)
    return { items: run ? [runSummaryOf(run)] : [], next_cursor: null }
  }
  const isCursor = (text: string) => text === aboveEveryRunId || isRunId(text)
  const { limit, cursor } = parsePaging(query, { limitMax: listMax, limitDefault: listDefault, isCursor })
  const rows = await runs.reader.list(account.id, cursor ?? aboveEveryRunId, now().getTime(), limit + 1)
  const items = rows.slice(0, limit)
  return { items: items.map(runSummaryOf), next_cursor: rows.length > items.length ? items.at(-1)!.id : null }
}

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), or the default when not given. */
export function preferredWait_s({ headers }: Request, default_s = 0): number {
  const found = /(?:^|[,;\s])wait\s*=\s*(\d{1,6})/i.exec(headers.get('prefer') ?? '')
  return Math.min(waitMax_s, Number(found?.[1] ?? default_s))
}

/**
 * Starts a retry of a run and returns the new run. With `include=missing`, it repeats everything that is missing in the
 * merged result and may be answered now, or returns the retry that is already in progress. With `corrections` in its
 * body, it answers these failed locations with new inputs.
 */
async function retryRun(request: Request, run_id: string, { runs }: App): Promise<StoredRun> {
  const query = new URL(request.url).searchParams
  const violations = listViolations(query, 'include', ['missing'])
  if (violations.length > 0) throw new ValidationError(violations)
  const account = accountOf(request)
  const { kind, retryable_locations } = await runs.find(account, run_id)
  requireScope(request, runKinds[kind as keyof typeof runKinds].scope)
  const startRetry = async (locations: number, submit: () => Promise<{ run_id: string }>) =>
    runs.find(account, (await withLocationQuota(request, locations, submit)).run_id)
  const corrections = await readCorrections(request)
  if (corrections) {
    const original = await runs.find(account, run_id)
    const indexes = [...corrections.keys()]
    await requireCorrectable(original, indexes, runs.reader)
    return startRetry(indexes.length, () => runs.retryLocations(account, original, indexes, corrections))
  }
  if (query.get('include') === null) return startRetry(retryable_locations, () => runs.retry(account, run_id))
  const missing = await runs.findMissing(account, run_id)
  if ('inProgress' in missing) return missing.inProgress
  const { original, indexes } = missing
  return startRetry(indexes.length, () => runs.retryLocations(account, original, indexes))
}
