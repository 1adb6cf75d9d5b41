import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { ValidationError } from '../model/error.ts'
import { runDocumentOf, runLinksOf, runSummaryOf } from '../runs/run-document.ts'
import { runKinds } from '../runs/run-kind.ts'
import { isRunId } from '../runs/run-id.ts'
import type { StoredRun } from '../store/run-reader.ts'
import { accountOf, requireScope } from './guard.ts'
import { artifactResponse } from './run-artifacts.ts'
import { pendingSubmissionOf } from './run-body.ts'
import { runEvents } from './run-events.ts'
import { createViolation } from './violations.ts'

const waitMax_s = 30
const listMax = 100
const listDefault = 50
/** Above every run id. */
const aboveEveryRunId = 'run_~'
/** The document of a run with more locations than this is streamed. */
const bufferedLocationsMax = 50

export const runRoutes = (app: App) =>
  new Elysia()
    .post(
      '/v1/runs',
      async ({ request, set }) => {
        const account = accountOf(request)
        const { size_bytes, receive, read } = pendingSubmissionOf(request, app.now())
        const { run_id, replayed } = await app.runs.uploadQueue({
          account: account.id,
          size_bytes,
          receive,
          signal: request.signal,
          async handle(body) {
            const submission = await read(body)
            requireScope(request, runKinds[submission.kind].scope)
            return app.runs.submit(account, submission)
          },
        })
        if (replayed) set.headers['idempotency-replayed'] = 'true'
        const wait_s = preferredWait_s(request)
        if (wait_s > 0) set.headers['preference-applied'] = `wait=${wait_s}`
        const run =
          wait_s > 0
            ? await app.runs.waitUntilFinished(
                account,
                run_id,
                AbortSignal.any([request.signal, AbortSignal.timeout(wait_s * 1000)]),
              )
            : app.runs.find(account, run_id)
        if (wait_s > 0 && run.finished_at !== null) return documentResponse(run, app)
        return acceptedResponse(run, set)
      },
      { parse: 'none' },
    )
    .get('/v1/runs', ({ request }) => listRuns(accountOf(request), new URL(request.url).searchParams, app))
    .get('/v1/runs/:run_id', ({ request, params: { run_id } }) =>
      documentResponse(app.runs.find(accountOf(request), run_id), app),
    )
    .get('/v1/runs/:run_id/events', ({ request, params: { run_id } }) =>
      runEvents(app, accountOf(request), run_id, request),
    )
    .get('/v1/runs/:run_id/artifacts/csv', ({ request, params: { run_id } }) =>
      artifactResponse(app.runs.find(accountOf(request), run_id), 'csv', request, app.runs.artifacts),
    )
    .get('/v1/runs/:run_id/artifacts/geojson', ({ request, params: { run_id } }) =>
      artifactResponse(app.runs.find(accountOf(request), run_id), 'geojson', request, app.runs.artifacts),
    )
    .post(
      '/v1/runs/:run_id/cancel',
      async ({ request, params: { run_id } }) => runSummaryOf(await app.runs.cancel(accountOf(request), run_id)),
      { parse: 'none' },
    )
    .post(
      '/v1/runs/:run_id/retry',
      async ({ request, set, params: { run_id } }) => {
        const account = accountOf(request)
        requireScope(request, runKinds[app.runs.find(account, run_id).kind as keyof typeof runKinds].scope)
        const retried = await app.runs.retry(account, run_id)
        return acceptedResponse(app.runs.find(account, retried.run_id), set)
      },
      { parse: 'none' },
    )

function acceptedResponse(run: StoredRun, set: { status?: number | string; headers: Record<string, unknown> }) {
  const links = runLinksOf(run.id)
  set.status = 202
  set.headers.location = links.self
  return { run_id: run.id, status: run.status, ...(run.retry_of !== null && { retry_of: run.retry_of }), links }
}

function documentResponse(run: StoredRun, { runs }: App): Response {
  const pieces = runDocumentOf(run, runs.reader)
  const headers = { 'content-type': 'application/json', 'cache-control': 'private, no-store' }
  if (run.total <= bufferedLocationsMax) return new Response([...pieces].join(''), { headers })
  const encoder = new TextEncoder()
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value, done } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    }),
    { headers },
  )
}

function listRuns(account: Account, query: URLSearchParams, { runs, now }: App) {
  const limit = query.get('limit') ?? String(listDefault)
  const cursor = query.get('cursor') ?? aboveEveryRunId
  const violations = [
    ...(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= listMax
      ? []
      : [
          createViolation(
            'int_parsing',
            ['query', 'limit'],
            `Input should be a whole number from 1 to ${listMax}`,
            limit,
          ),
        ]),
    ...(cursor === aboveEveryRunId || isRunId(cursor)
      ? []
      : [createViolation('value_error', ['query', 'cursor'], 'Input should be the next_cursor of a page', cursor)]),
  ]
  if (violations.length > 0) throw new ValidationError(violations)
  const rows = runs.reader.list(account.id, cursor, now().getTime(), Number(limit) + 1)
  const items = rows.slice(0, Number(limit))
  return { items: items.map(runSummaryOf), next_cursor: rows.length > items.length ? items.at(-1)!.id : null }
}

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), 0 when not given. */
function preferredWait_s({ headers }: Request): number {
  const found = /(?:^|[,;\s])wait\s*=\s*(\d{1,6})/i.exec(headers.get('prefer') ?? '')
  return Math.min(waitMax_s, Number(found?.[1] ?? 0))
}
