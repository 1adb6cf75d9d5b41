import type { Catalog } from '../../catalog/catalog.ts'
import type { App } from '../../app.ts'
import type { AreaAnswer, AreaFieldResult } from '../../areas/area-answer.ts'
import { answerArea } from '../../areas/answer-area.ts'
import type { AreaSelector } from '../../areas/shape/shape-text.ts'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { Account } from '../../auth/accounts.ts'
import type { Field } from '../../catalog/records.ts'
import type { AreaKind } from '../../catalog/catalog-document.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { boundsOfGeometry } from '../../geo/overlay/simplify.ts'
import type { Value } from '../../model/source.ts'
import { formatTimestamp } from '../../model/text.ts'
import { profileSeriesOf } from '../../web/areas/area-profile.ts'
import {
  absentRows,
  absentTexts,
  areaDisplayOf,
  percentText,
  sizeText,
  type ShareRow,
} from '../../web/areas/area-rows.ts'
import { displayValueOf } from '../../web/value-text.ts'
import { html, type Html } from '../pages/page.ts'
import { reportCharts } from './report-charts.ts'
import { partClassOf, partColors, reportMap } from './report-map.ts'
import {
  layerTables,
  renderSourcesAndCommand,
  reasonList,
  reportDocument,
  sourceCell,
  titleOf,
  type Reason,
} from './report-page.ts'
import { commandsOf, reportPath, type ReportQuery } from './report-query.ts'

/** A report about an area: its query, and the fields. */
type AreaReportQuery = ReportQuery & { shape: AreaSelector; requested: Field[] }

type Row = { field: Field; result: AreaFieldResult }

/** The map colors the parts of one field: the first field of the first of these kinds that has parts. */
const drawnKinds = [
  'polygon_classes',
  'polygon_share',
  'raster_classes',
  'raster_share',
  'raster_statistics',
] as const satisfies AreaKind[]
/** The area takes this share of the height of the map. */
const mapFill = 0.8
const rowsMax = 12

/** Creates the report of an area. @throws {ValidationError} and {ApiError} as POST /v1/areas does. */
export async function createAreaReport(
  query: AreaReportQuery,
  { app, account }: { app: App; account: Account },
  signal: AbortSignal,
): Promise<{ title: string; document: string }> {
  const { shape, requested, units, name } = query
  const context = app.fetchContext(account, reportPath)
  const request = { ...shape, include: ['outline' as const], loc: ['query', 'shape'], drawnKinds }
  const answer = await answerArea(request, requested, { signal }, context)
  const rows = requested.map((field) => ({ field, result: answer.fields[field.name]! }))
  const drawn = drawnKinds.flatMap((kind) => rows.filter(({ result }) => isDrawnAs(kind, result)))[0]
  const title = name ?? `${answer.area_m2 === undefined ? 'Line' : 'Area'} of ${sizeText(answer, units)}`
  const { lat, lng } = answer.representative_point
  const services = rows.flatMap(({ result }) => (result.status === 'failed' ? [] : [result.source]))
  const document = await app.runs.readerTurns(() =>
    reportDocument(
      { title, fetched_at: formatTimestamp(app.now()), version: app.version, catalog: app.catalog },
      html`<p>
        ${sizeText(answer, 'us')}, ${sizeText(answer, 'metric')}, around ${lat.toFixed(4)}, ${lng.toFixed(4)}
      </p>`,
      html`<div class="maps">${mapFigure(answer, drawn, { app, units })}</div>
        ${themes(rows, units, app.catalog)} ${charts(rows, units)} ${missing(rows)}
        ${renderSourcesAndCommand(services, commandsOf(query, app.config.base_url), app.catalog)}`,
    ),
  )
  return { title, document }
}

function isDrawnAs(kind: AreaKind, { area_kind, geometry }: AreaFieldResult): boolean {
  return area_kind === kind && geometry !== undefined && geometry.features.length > 0
}

/** The outline with the parts of one field in it, and what their colors mean. */
function mapFigure(
  { outline }: AreaAnswer,
  drawn: Row | undefined,
  { app, units }: { app: Pick<App, 'registry'>; units: UnitSystem },
): Html {
  const parts = inLegendOrder(drawn?.result.geometry?.features ?? [])
  const { west, south, east, north } = boundsOfGeometry(parseGeoJsonGeometry(outline!))
  const at = { lat: (south + north) / 2, lng: (west + east) / 2 }
  const width_degrees = (east - west) * Math.cos((at.lat * Math.PI) / 180)
  // The map is one and a half times as wide as it is high.
  const height_degrees = Math.max(north - south, width_degrees / 1.5) / mapFill
  const frame: DrawnFeature = { type: 'Feature', properties: { role: 'line', dataset: '' }, geometry: outline! }
  const map = reportMap(
    { at, letter: null, reach_m: Math.max((height_degrees / 2) * metersPerDegree, leastReach_m) },
    [...parts, frame],
    app.registry,
  )
  const legend = parts.map(
    (part, i) =>
      html`<span class="swatch"
        ><svg viewBox="0 0 8 8" aria-hidden="true"><rect class="${partClassOf(part, i)}" width="8" height="8" /></svg
        >${drawn ? legendText(drawn, part, units) : ''}</span
      > `,
  )
  return html`<figure>
    ${map}
    <figcaption>
      ${drawn && parts.length > 0 ? html`${titleOf(drawn.field)}: ${legend.slice(0, partColors)}<br />` : html``}Borders:
      US Census Bureau. Coast: © OpenStreetMap contributors, ODbL. Towns: GeoNames, CC BY 4.0.
    </figcaption>
  </figure>`
}

const leastReach_m = 100

/** Numbers from the least to the greatest; other parts stay in the order of their size. */
function inLegendOrder(parts: DrawnFeature[]): DrawnFeature[] {
  const leastOf = ({ properties: { range } }: DrawnFeature) => range?.[0] ?? 0
  return parts.toSorted((a, b) => leastOf(a) - leastOf(b))
}

/** The value of a part as the tables show it, or the range of its numbers. */
function legendText({ field, result }: Row, { properties: { value, range } }: DrawnFeature, units: UnitSystem): string {
  const { name, class_labels } = field
  const textOf = (it: Value) => {
    const { first, other } = displayValueOf(name, { value: it, unit: result.unit }, { units, class_labels })
    return class_labels?.[String(it)] === undefined ? first : `${first}: ${other}`
  }
  if (!range) return textOf(value ?? null)
  const [from, to] = range.map(textOf)
  return from === to ? from! : `${from} to ${to}`
}

/** A table for each layer. */
function themes(rows: Row[], units: UnitSystem, catalog: Catalog): Html {
  const answered = rows.flatMap(({ field, result }) =>
    result.status === 'ok' ? { layer: field.layer, row: tableRow(field, result, { units, catalog }) } : [],
  )
  return layerTables(answered, ['Value'])
}

function tableRow(
  field: Field,
  result: Extract<AreaFieldResult, { status: 'ok' }>,
  { units, catalog }: { units: UnitSystem; catalog: Catalog },
): Html {
  const { name, class_labels } = field
  const { main, rows, absent, facts } = areaDisplayOf(result, { name, units, class_labels })
  const details = facts.map(({ label, text }) => `${label}: ${text}`)
  return html`<tr>
    <th scope="row">${titleOf(field)}</th>
    <td class="value">
      ${main}${rows.slice(0, rowsMax).map(shareLine)}${rows.length > rowsMax ? html`<small>${String(rows.length - rowsMax)} more</small>` : html``}${absent.map(shareLine)}${details.length === 0 ? html`` : html`<small>${details.join(' · ')}</small>`}${result.notes === null ? html`` : html`<small>${result.notes}</small>`}
    </td>
    ${sourceCell(field, { ...result, date: result.dataset_vintage ?? 'date unknown' }, catalog)}
  </tr>`
}

function shareLine({ label, value, share, size }: ShareRow): Html {
  return html`<small
    ><svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rest" width="100" height="4" />
      <rect class="${value === undefined ? 'absent' : 'bar'}" width="${(100 * share).toFixed(2)}" height="4" /></svg
    >${label}: ${percentText(share)}${size === '' ? '' : ` · ${size}`}</small
  >`
}

function charts(rows: Row[], units: UnitSystem): Html {
  const series = rows.flatMap(({ field, result }) => profileSeriesOf(titleOf(field), result, units) ?? [])
  return reportCharts([{ letter: '', series }])
}

/** The fields without a value, and the parts without one, with the reason. */
function missing(rows: Row[]): Html {
  const reasons = rows.flatMap(({ field, result }): (Reason & { kind: 'absent' | 'failed' | 'partial' })[] => {
    if (result.status === 'failed') return [{ field, reason: result.error, kind: 'failed' }]
    if (result.status === 'absent') return [{ field, reason: absentTexts[result.absent_reason], kind: 'absent' }]
    return absentRows(result, 'us').map(({ label, share }) => ({
      field,
      reason: `${label}: ${percentText(share)}`,
      kind: 'partial',
    }))
  })
  const ofKind = (kind: string) => reasons.filter((it) => it.kind === kind)
  return html`<h2>What is missing, and why</h2>
    ${reasons.length === 0 ? html`<p>Nothing: every field has a value everywhere.</p>` : html``}
    ${reasonList('No value in this area', ofKind('absent'))} ${reasonList('No value in a part', ofKind('partial'))}
    ${reasonList('Could not be answered', ofKind('failed'))}`
}
