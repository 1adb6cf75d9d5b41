import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { unitSystems } from '../../ask/answer/display-units.ts'
import type { Account } from '../../auth/accounts.ts'
import { namesFirst } from '../../catalog/field-title.ts'
import type { Field, Preset } from '../../catalog/records.ts'
import type { DrawnFeature, FetchAnswer } from '../../fetch/fetch-answer.ts'
import { answerAt, type FetchContext } from '../../fetch/fetch.ts'
import { addGeometry } from '../../fetch/parcel/field-geometry.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import { formatTimestamp } from '../../model/text.ts'
import { pointParameter } from '../../web/map/geometry.ts'
import { accountOf } from '../request/guard.ts'
import { defineOperations } from '../request/operation.ts'
import { reportMap } from './report-map.ts'
import { createAreaReport } from './report-area.ts'
import { keyFieldsOf, reportHtml, reportPolicy, type ReportPlace } from './report-page.ts'
import { commandsOf, parseReportQuery, reportPath, requestedFields } from './report-query.ts'

export const reportOperations = defineOperations('Report', {
  [`GET ${reportPath}`]: {
    scope: 'fetch',
    summary: 'Get a report about a place or an area, to print or to save',
    description:
      'A complete HTML document without scripts: a map, the key values, all values by theme with unit, source, date and margin of error, what is missing and why, the licenses, and the command that makes it again.',
    query: {
      at: 'Latitude and longitude, such as `39.7392,-104.9903`.',
      vs: 'A second place, which is shown beside the first.',
      shape:
        'An area instead of a place, with the latitude first, as in the URL of the Areas page: `polygon:39.73,-105.02;39.73,-104.98;39.76,-105`, `line:…`, `circle:39.74,-104.99,500`, `corridor:60:…` or `county:08031`.',
      preset: 'Name of a preset.',
      fields: 'Names of catalog fields, comma-separated. `all` stands for every field whose source does not bill.',
      units: `\`${unitSystems.join('` or `')}\`: the units that come first.`,
      name: 'The title of the report.',
    },
    responses: { 200: Type.String() },
    media: { 200: 'text/html' },
    errorCodes: ['coord_out_of_bounds', 'no_fields_requested', 'preset_unknown', 'fields_unknown', 'fetch_busy'],
  },
})

export const reportRoutes = (app: App) =>
  new Elysia().get(reportPath, async ({ request }) => {
    const query = new URL(request.url).searchParams
    const { document } = await createReport(query, { app, account: accountOf(request) }, request.signal)
    return reportResponse(document)
  })

/** Returns the document of a report as a response. */
export function reportResponse(document: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return new Response(document, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': reportPolicy,
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      ...headers,
    },
  })
}

/** Creates the report of a query of GET /report. @throws {ValidationError} */
export async function createReport(
  parameters: URLSearchParams,
  { app, account }: { app: App; account: Account },
  signal: AbortSignal,
): Promise<{ title: string; document: string }> {
  const query = parseReportQuery(parameters)
  const groups = requestedFields(query, app)
  if (query.subject.kind === 'area')
    return createAreaReport({ ...query, ...query.subject, requested: groups.flat() }, { app, account }, signal)
  const requested = keyFieldsFirst(groups.flat(), app.catalog.presets.get(query.preset ?? ''))
  const context = app.fetchContext(account, reportPath)
  const places = await Promise.all(
    query.subject.places.map(async (at, i, all): Promise<ReportPlace> => {
      const answer = await answerGroups(at, groups, { signal }, context)
      const letter = all.length > 1 ? 'AB'.charAt(i) : ''
      const shapes = await shapesOfKeyFields({ answer, requested }, { signal }, context)
      return {
        at,
        name: await placeNameAt(at, { signal }, context),
        fields: answer.fields,
        shapes,
        map: reportMap({ at, letter, size: all.length > 1 ? 'half' : 'page' }, shapes, app.registry),
      }
    }),
  )
  const title = query.name ?? titleOf(places)
  const report = {
    places,
    title,
    requested,
    units: query.units,
    fetched_at: formatTimestamp(app.now()),
    version: app.version,
    catalog: app.catalog,
    commands: commandsOf(query, app.config.base_url),
  }
  const document = await app.runs.readerTurns(() => reportHtml(report))
  return { title, document }
}

/** The key fields of a preset come first, then names before codes. Fields that were named keep their order. */
function keyFieldsFirst(fields: Field[], preset: Preset | undefined): Field[] {
  if (!preset) return fields
  const order = [...new Set([...(preset.key_fields ?? []), ...namesFirst(fields.map(({ name }) => name))])]
  return fields.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

/** Answers the fields at a place, with a request for each group. */
async function answerGroups(at: Point, groups: Field[][], budget: Budget, context: FetchContext): Promise<FetchAnswer> {
  const answers = await Promise.all(
    groups.map(async (members) => (await answerAt(at, context.plans.planOf(members), budget, context)).toJSON()),
  )
  return { ...answers[0]!, fields: Object.assign({}, ...answers.map(({ fields }) => fields)) as FetchAnswer['fields'] }
}

type Answered = { answer: FetchAnswer; requested: readonly Field[] }

/** The shapes of the key fields, which the map draws. Several fields may have the same one. */
async function shapesOfKeyFields(
  { answer, requested }: Answered,
  budget: Budget,
  context: FetchContext,
): Promise<DrawnFeature[]> {
  const fields = keyFieldsOf({ requested, places: [answer] })
  const place = context.placeAt(answer)
  const drawn = await context.admission.run(() => addGeometry(answer, { fields, place }, budget, context), budget)
  const shapes = Object.values(drawn.fields).flatMap((result) => result.geometry?.features ?? [])
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape.geometry), shape])).values()]
}

/** The county and state of a place. These fields are embedded, and were not requested, so that no usage is counted. */
async function placeNameAt(at: Point, budget: Budget, context: FetchContext): Promise<string | null> {
  const { onSourceUsage: _, ...uncounted } = context
  const names = ['county', 'state']
  const plan = context.plans.planOf(names.map((name) => context.catalog.fields.get(name)!))
  const { fields } = (await answerAt(at, plan, budget, uncounted)).toJSON()
  const texts = names.flatMap((name) => (fields[name]?.status === 'ok' ? [String(fields[name].value)] : []))
  return texts.length === 0 ? null : texts.join(', ')
}

function titleOf(places: ReportPlace[]): string {
  return places.map(({ name, at }) => name ?? pointParameter(at)).join(' and ')
}
