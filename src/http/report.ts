import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { unitSystems, type UnitSystem } from '../ask/display-units.ts'
import type { Account } from '../auth/accounts.ts'
import type { Field } from '../catalog/records.ts'
import type { DrawnFeature, FetchAnswer } from '../fetch/fetch-answer.ts'
import { answerAt, fetchWithGeometry } from '../fetch/fetch.ts'
import { maxFieldsPerRequest, selectFields } from '../fetch/select.ts'
import { hasBilledSource } from '../fetch/source-registry.ts'
import { ValidationError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { splitNames } from '../model/split-names.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import { accountOf } from './guard.ts'
import { defineOperation, type Operations } from './operation.ts'
import { reportMap } from './report-map.ts'
import { keyFieldsOf, reportHtml, reportPolicy, type ReportPlace } from './report-page.ts'
import { createViolation } from './violations.ts'

/** The path of the report. A browser that is not signed in is sent to the sign-in page. */
export const reportPath = '/report'
/** The name that stands for every field, except those of sources that bill each call. */
const allFields = 'all'
const nameMax_characters = 200

export const reportOperations: Operations = {
  [`GET ${reportPath}`]: defineOperation({
    tag: 'Report',
    scope: 'fetch',
    summary: 'Get a report about a place, to print or to save',
    description:
      'A complete HTML document without scripts: a map, the key values, all values by theme with unit, source, date and margin of error, what is missing and why, the licenses, and the command that makes it again.',
    query: {
      at: 'Latitude and longitude, such as `39.7392,-104.9903`.',
      vs: 'A second place, which is shown beside the first.',
      preset: 'Name of a preset.',
      fields: 'Names of catalog fields, comma-separated. `all` stands for every field whose source does not bill.',
      units: `\`${unitSystems.join('` or `')}\`: the units that come first.`,
      name: 'The title of the report.',
    },
    responses: { 200: Type.String() },
    media: { 200: 'text/html' },
    errorCodes: ['coord_out_of_bounds', 'no_fields_requested', 'preset_unknown', 'fields_unknown', 'fetch_busy'],
  }),
}

type ReportRequest = {
  places: Point[]
  preset: string | undefined
  fields: string[]
  units: UnitSystem
  name: string | null
}

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
  const requested = requestedFields(query, app)
  const context = app.fetchContext(account, reportPath)
  const places = await Promise.all(
    query.places.map(async (at, i): Promise<ReportPlace> => {
      const groups = await Promise.all(
        chunksOf(requested).map(
          async (fields) => await answerAt(at, context.plans.planOf(fields), { signal }, context),
        ),
      )
      const fields = Object.assign({}, ...groups.map((answer) => answer.toJSON().fields)) as FetchAnswer['fields']
      const drawn = keyFieldsOf({ requested, places: [{ fields }] })
      const { fields: shapes } = await fetchWithGeometry(
        at,
        context.plans.planOf(drawn),
        { signal },
        app.fetchContext(account, reportPath),
      )
      const names = await answerAt(at, context.plans.planOf(namingFields(app.catalog)), { signal }, context)
      const letter = query.places.length > 1 ? 'AB'.charAt(i) : ''
      return {
        at,
        name: placeNameOf(names.toJSON().fields),
        fields,
        map: reportMap(at, letter, mapShapes(shapes), app.registry),
      }
    }),
  )
  const title = query.name ?? titleOf(places)
  const document = reportHtml(
    {
      places,
      title,
      requested,
      units: query.units,
      fetched_at: formatTimestamp(app.now()),
      version: app.version,
      commands: commandsOf(query, app.config.base_url),
    },
    app.catalog,
  )
  return { title, document }
}

function requestedFields({ fields, preset }: ReportRequest, { catalog, registry }: App): Field[] {
  if (!fields.includes(allFields)) return selectFields({ fields, preset }, 'none', catalog)
  const isFree = ({ read }: Field) => !hasBilledSource(registry.dataset(read.dataset))
  return [...catalog.fields.values()].filter(isFree)
}

function chunksOf(fields: Field[]): Field[][] {
  return Array.from({ length: Math.ceil(fields.length / maxFieldsPerRequest) }, (_, i) =>
    fields.slice(i * maxFieldsPerRequest, (i + 1) * maxFieldsPerRequest),
  )
}

/** The shapes of the key fields. Several fields may have the same one. */
function mapShapes(fields: FetchAnswer['fields']): DrawnFeature[] {
  const shapes = Object.values(fields).flatMap((result) => result.geometry?.features ?? [])
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape.geometry), shape])).values()]
}

/** The fields that name a place. They are embedded, so they cost nothing. */
function namingFields({ fields }: App['catalog']): Field[] {
  return ['county', 'state'].map((name) => fields.get(name)!)
}

function placeNameOf(fields: FetchAnswer['fields']): string | null {
  const texts = ['county', 'state'].flatMap((name) =>
    fields[name]?.status === 'ok' ? [String(fields[name].value)] : [],
  )
  return texts.length === 0 ? null : texts.join(', ')
}

function titleOf(places: ReportPlace[]): string {
  return places.map(({ name, at }) => name ?? pointTextOf(at)).join(' and ')
}

function pointTextOf({ lat, lng }: Point): string {
  return `${lat},${lng}`
}

/** The address and the command that make the report again. */
function commandsOf({ places: [at, vs], preset, fields, units, name }: ReportRequest, base_url: string) {
  const parts = [
    ['at', pointTextOf(at!)],
    ...(vs ? [['vs', pointTextOf(vs)]] : []),
    ...(preset === undefined ? [] : [['preset', preset]]),
    ...(fields.length === 0 ? [] : [['fields', fields.join(',')]]),
    ['units', units],
    ...(name === null ? [] : [['name', name]]),
  ] as [string, string][]
  const shell = parts.map(
    ([flag, value]) => `--${flag} ${/^[\w.,-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`}`,
  )
  return {
    url: `${base_url}${reportPath}?${new URLSearchParams(parts).toString().replaceAll('%2C', ',')}`,
    shell: `fieldstone report ${shell.join(' ')} --out report.html`,
  }
}

/** @throws {ValidationError} for a missing or malformed coordinate, and for unknown units. */
function parseReportQuery(query: URLSearchParams): ReportRequest {
  const [at, vs] = ['at', 'vs'].map((name) => parsePoint(query.get(name)))
  const units = query.get('units') ?? 'us'
  const violations = [
    ...(at
      ? []
      : [createViolation(query.has('at') ? 'value_error' : 'missing', ['query', 'at'], pointAdvice, query.get('at'))]),
    ...(vs || !query.has('vs') ? [] : [createViolation('value_error', ['query', 'vs'], pointAdvice, query.get('vs'))]),
    ...(isUnitSystem(units)
      ? []
      : [createViolation('literal_error', ['query', 'units'], `\`units\` is ${unitSystems.join(' or ')}`, units)]),
  ]
  if (!at || !isUnitSystem(units) || violations.length > 0) throw new ValidationError(violations)
  return {
    places: vs ? [at, vs] : [at],
    preset: query.get('preset') ?? undefined,
    fields: splitNames(query.get('fields') ?? ''),
    units,
    name: query.get('name')?.slice(0, nameMax_characters) || null,
  }
}

const pointAdvice = 'Give a latitude and a longitude, such as 39.7392,-104.9903'

function parsePoint(text: string | null): Point | null {
  const [lat, lng, ...rest] = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  return rest.length === 0 && Number.isFinite(lat) && Number.isFinite(lng) ? { lat: lat!, lng: lng! } : null
}

function isUnitSystem(text: string): text is UnitSystem {
  return unitSystems.some((it) => it === text)
}
