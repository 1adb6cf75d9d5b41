import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { ApiError } from '../../model/error.ts'
import { formatTimestamp } from '../../model/text.ts'
import { resultsPageOf } from '../../runs/report/run-document.ts'
import type { FoundShare } from '../../store/accounts/shares.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { StoredRun } from '../../store/runs/runs.ts'
import { fieldLabel, valueText } from '../../web/value-text.ts'
import { html, renderPage, renderTable, type Html } from '../pages/page.ts'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { jsonBytes, pacedPieces, type PacedReader } from '../runs/paced-stream.ts'
import { ReaderSlots } from '../runs/reader-slots.ts'
import { reportResponse } from '../report/report.ts'
import { artifactResponse } from '../runs/run-artifacts.ts'

const shownRows = 100
/** The URL is the secret: linked pages must not receive it as the referrer, and search engines must not list it. */
const privateHeaders = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' }

/**
 * The pages of read-only links. They need no account. A link gives access to one report, or to one run and its files,
 * and to nothing else of the account.
 */
export const sharedPageRoutes = (app: App) => {
  const slots = new ReaderSlots()
  const fileOf = async (request: Request, secret: string, format: 'csv' | 'geojson') => {
    const found = await app.access.shares.find(secret)
    const reader: PacedReader = {
      turns: app.runs.readerTurns,
      takeSlot: () => slots.take(found.share.account_id),
    }
    return withPrivateHeaders(
      await artifactResponse(await sharedRunOf(found, app), format, request, { runs: app.runs, reader }),
    )
  }
  return new Elysia()
    .get('/shared/:secret', async ({ params: { secret } }) => {
      const found = await app.access.shares.find(secret)
      return found.content.kind === 'report'
        ? reportResponse(Bun.gunzipSync(new Uint8Array(found.content.document)), privateHeaders)
        : withPrivateHeaders(await runPage(found, secret, app))
    })
    .get('/shared/:secret/csv', ({ request, params: { secret } }) => fileOf(request, secret, 'csv'))
    .get('/shared/:secret/geojson', ({ request, params: { secret } }) => fileOf(request, secret, 'geojson'))
}

function withPrivateHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(privateHeaders)) response.headers.set(name, value)
  return response
}

/** The run of a link, as its account would read it. @throws {ApiError} `share_not_found` */
async function sharedRunOf({ share, content }: FoundShare, { runs }: App): Promise<StoredRun> {
  if (content.kind !== 'run') throw new ApiError('share_not_found', 'This link leads to a report, which has no files.')
  return runs.find({ id: share.account_id } as Account, content.run_id)
}

async function runPage(found: FoundShare, secret: string, app: App): Promise<Response> {
  const run = await sharedRunOf(found, app)
  const entries = await firstEntries(run, app)
  return app.runs.readerTurns(() => renderRun(found, run, entries, secret))
}

function renderRun(found: FoundShare, run: StoredRun, entries: RunEntry[], secret: string): Response {
  const fields = parseRunColumn(run, 'fields')
  const dateOf = (time: number) => formatTimestamp(time).slice(0, 10)
  return renderPage(
    { title: found.share.title, isWide: true },
    html`<p>
        ${String(run.ok)} of ${String(run.total)} locations were answered. Created ${dateOf(run.created_at)}. This link
        expires ${dateOf(found.share.expires_at)}.
      </p>
      <p><a href="/shared/${secret}/csv" download>CSV</a> · <a href="/shared/${secret}/geojson" download>GeoJSON</a></p>
      ${rowsTable(entries, fields)}
      ${run.total > entries.length ? html`<p class="soft">The first ${String(entries.length)} rows. The files have all of them.</p>` : html``}`,
  )
}

/** An entry of a run of fields, as the API returns it. */
type RunEntry = { index: number; ok: boolean; error?: { message: string } } & Partial<
  Pick<FetchAnswer, 'lat' | 'lng' | 'fields'>
>

/** The first entries of a run of fields. The entries of other kinds have no table, and are in the files. */
async function firstEntries(run: StoredRun, { runs: { reader, readerTurns } }: App): Promise<RunEntry[]> {
  if (run.kind !== 'fetch_batch') return []
  const pieces = jsonBytes(resultsPageOf(run, { from: 0, limit: shownRows, ok: null }, reader))
  const page = await Array.fromAsync(pacedPieces(pieces, readerTurns))
  return (JSON.parse(Buffer.concat(page).toString()) as { items: RunEntry[] }).items
}

function rowsTable(entries: RunEntry[], fields: string[]): Html {
  if (entries.length === 0) return html``
  return html`<div class="table" tabindex="0" role="region" aria-label="Rows">
    ${renderTable(
      ['Row', 'Latitude', 'Longitude', ...fields.map((name) => fieldLabel(name, null))],
      entries.map((entry) => rowOf(entry, fields)),
    )}
  </div>`
}

function rowOf({ index, ok, error, lat, lng, fields: results = {} }: RunEntry, fields: string[]): Html {
  const cells = ok ? fields.map((name) => cellText(results[name])) : [error?.message ?? 'failed']
  return html`<tr>
    <th scope="row">${String(index + 1)}</th>
    <td>${lat === undefined ? '' : String(lat)}</td>
    <td>${lng === undefined ? '' : String(lng)}</td>
    ${ok ? cells.map((text) => html`<td>${text}</td>`) : html`<td colspan="${String(fields.length)}">${cells.join('')}</td>`}
  </tr>`
}

function cellText(result: FetchAnswer['fields'][string] | undefined): string {
  if (result?.status === 'ok') return valueText(result)
  return result?.status === 'absent' ? 'no value' : 'failed'
}
