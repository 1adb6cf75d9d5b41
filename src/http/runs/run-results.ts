import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ApiError } from '../../model/error.ts'
import { resultsPageOf } from '../../runs/report/run-document.ts'
import { isFinalStatus, type StoredRun } from '../../store/runs/runs.ts'
import { accountOf, readerOf } from '../request/guard.ts'
import { pacedJsonResponse } from './paced-stream.ts'
import { literalViolations, parsePaging } from '../request/paging.ts'

export const resultsPageMax = 1000
export const resultsPageDefault = 100
const indexPattern = /^\d{1,9}$/

/** The entries of a run: pages in order of their index, and single entries. */
export const runResultRoutes = (app: App) =>
  new Elysia()
    .get('/v1/runs/:run_id/results', async ({ request, params: { run_id } }) => {
      const query = new URL(request.url).searchParams
      const { limit, cursor } = parsePaging(
        query,
        { limitMax: resultsPageMax, limitDefault: resultsPageDefault, isCursor: (text) => indexPattern.test(text) },
        literalViolations(query, 'status', ['ok', 'failed']),
      )
      const status = query.get('status')
      const run = await app.runs.find(accountOf(request), run_id)
      // A page of a running run could skip entries that arrive later.
      if (!isFinalStatus(run.status)) throw notFinished(run, 'Its results can be listed once it has ended.')
      const range = {
        from: cursor === null ? 0 : Number(cursor) + 1,
        limit,
        ok: status === null ? null : status === 'ok',
      }
      return pacedJsonResponse(() => resultsPageOf(run, range, app.runs.reader), readerOf(request))
    })
    .get('/v1/runs/:run_id/results/:index', async ({ request, params: { run_id, index } }) => {
      const run = await app.runs.find(accountOf(request), run_id)
      const entry = await entryText(run, index, app)
      return pacedJsonResponse(() => [entry], readerOf(request))
    })

async function entryText(run: StoredRun, text: string, { runs: { reader } }: App): Promise<string> {
  const index = indexPattern.test(text) ? Number(text) : Infinity
  if (index >= run.total)
    throw new ApiError(
      'not_found',
      `This run has no location ${JSON.stringify(text.slice(0, 100))}. Use an index from 0 to ${run.total - 1}.`,
    )
  const entry = await reader.findEntry(run.number, index)
  if (entry !== null) return entry
  if (isFinalStatus(run.status))
    throw new ApiError('not_found', `Location ${index} was not answered before this run failed.`)
  throw notFinished(run, `Location ${index} is not answered yet.`)
}

function notFinished({ status }: StoredRun, message: string): ApiError {
  return new ApiError('run_not_ready', `This run is ${status}. ${message}`, { status })
}
