import type { Catalog } from '../../catalog/catalog.ts'
import type { Dataset, Field } from '../../catalog/records.ts'
import { sourceNameOf } from '../../ask/answer/citations.ts'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { DrawnFeature, FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import { absenceText, parseFailure } from '../../web/explore/explain.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { displayValueOf, fieldLabel, marginTextOf } from '../../web/value-text.ts'
import { seriesOf } from '../../web/charts/series.ts'
import { reportCharts } from './report-charts.ts'
import { createDocumentKind, html, renderTable, type Html } from '../pages/page.ts'
import { reportStyle } from './report-style.ts'

/** A place of a report: its answer, and its map. */
export type ReportPlace = { at: Point; name: string | null; fields: FetchAnswer['fields'] } & PlaceMap

/** A map, and what the shapes on it are. */
type PlaceMap = { map: Html; shapes: readonly DrawnFeature[] }

/** What a report shows. `requested` are the fields in order, `commands` make it again. */
export type Report = {
  places: ReportPlace[]
  title: string
  requested: readonly Field[]
  units: UnitSystem
  fetched_at: string
  version: string
  catalog: Catalog
  commands: { url: string; shell: string }
}

const reportKind = createDocumentKind(reportStyle)
export const reportPolicy = reportKind.policy("'none'")
const keyFieldsMax = 6

/** The fields that a report shows first: the first ones with a value at the first place. */
export function keyFieldsOf({
  requested,
  places,
}: Pick<Report, 'requested'> & { places: Pick<ReportPlace, 'fields'>[] }) {
  return requested.filter(({ name }) => places[0]?.fields[name]?.status === 'ok').slice(0, keyFieldsMax)
}

/** The document of a report about places. */
export function reportHtml(report: Report): string {
  const { places, requested, commands, title, catalog } = report
  const services = places.flatMap(({ fields }) =>
    requested.flatMap(({ name }) => (fields[name]?.status === 'failed' ? [] : [fields[name]!.source])),
  )
  return reportDocument(
    report,
    html`${places.map((place, i) => placeLine(place, letterOf(report, i), title))}`,
    html`<div class="maps">${places.map((place, i) => figure(place, letterOf(report, i)))}</div>
      ${places.length === 1 ? keyValues(report) : html``} ${themes(report)} ${charts(report)} ${missing(report)}
      ${renderSourcesAndCommand(services, commands, catalog)}`,
  )
}

/** The document of a report: complete in itself, for a screen and for paper. */
export function reportDocument(
  { title, fetched_at, version, catalog }: Pick<Report, 'title' | 'fetched_at' | 'version' | 'catalog'>,
  subject: Html,
  content: Html,
): string {
  return reportKind.render(
    `${title} · Fieldstone report`,
    html`<header>
        <h1>${title}</h1>
        ${subject}
        <p class="soft small">
          Fetched ${fetched_at.slice(0, 16).replace('T', ' ')} UTC by Fieldstone ${version}, catalog ${catalog.version}.
        </p>
      </header>
      <main>${content}</main>`,
  )
}

function letterOf({ places }: Report, i: number): string {
  return places.length > 1 ? 'AB'.charAt(i) : ''
}

function placeLine({ at, name }: ReportPlace, letter: string, title: string): Html {
  return html`<p>
    ${letter === '' ? html`` : html`<b>${letter}</b> `}${name === null || name === title ? '' : `${name} · `}${String(at.lat)},
    ${String(at.lng)}
  </p>`
}

function figure({ map, shapes }: ReportPlace, letter: string): Html {
  const roles = new Set(shapes.map(({ properties: { role } }) => role))
  return html`<figure>
    ${map}
    <figcaption>
      ${letter === '' ? '' : `Place ${letter}. `}${roles.has('area') ? 'Green: areas of the key values that contain the place. ' : ''}${roles.has('feature') ? 'Purple: the nearest features of the key values. ' : ''}Borders:
      US Census Bureau. Coast: © OpenStreetMap contributors, ODbL. Towns: GeoNames, CC BY 4.0.
    </figcaption>
  </figure>`
}

function keyValues(report: Report): Html {
  const items = keyFieldsOf(report).map((field) => {
    const { first, other } = displayOf(field, report.places[0]!.fields[field.name]!, report.units)
    return html`<div>
      <dt>${titleOf(field)}</dt>
      <dd>${first}${other === null ? html`` : html`<small>${other}</small>`}</dd>
    </div>`
  })
  return items.length === 0
    ? html``
    : html`<h2>Key values</h2>
        <dl class="key">${items}</dl>`
}

function charts(report: Report): Html {
  const { places, fetched_at } = report
  return reportCharts(
    places.map(({ at, fields }, i) => ({
      letter: letterOf(report, i),
      series: seriesOf({ ...at, fields, fetched_at }),
    })),
  )
}

/** A table for each layer, with a column for each place. */
function themes(report: Report): Html {
  const answered = report.requested.filter(({ name }) =>
    report.places.some(({ fields }) => fields[name]?.status === 'ok'),
  )
  const places = report.places
    .map((_, i) => letterOf(report, i))
    .map((letter) => (letter === '' ? 'Value' : `Place ${letter}`))
  return layerTables(
    answered.map((field) => ({ layer: field.layer, row: row(field, report) })),
    places,
  )
}

/** A table for each layer, with a column for the values of each place. */
export function layerTables(rows: readonly { layer: string; row: Html }[], valueColumns: readonly string[]): Html {
  const columns = ['Field', ...valueColumns, 'Source and date']
  if (rows.length === 0)
    return html`<h2>All values</h2>
      <p>No field has a value here.</p>`
  return html`<h2>All values</h2>
    ${[...Map.groupBy(rows, ({ layer }) => layer)].map(
      ([layer, members]) =>
        html`<h3>${humanizeName(layer)}</h3>
          <div class="table">
            ${renderTable(
              columns,
              members.map((member) => member.row),
            )}
          </div>`,
    )}`
}

function row(field: Field, report: Report): Html {
  const results = report.places.map(({ fields }) => fields[field.name]!)
  const answered = results.find(({ status }) => status === 'ok') ?? results[0]!
  const date = answered.dataset_vintage ?? firstSentenceOf(answered.vintage_note ?? 'date unknown')
  return html`<tr>
    <th scope="row">${titleOf(field)}</th>
    ${results.map((result) => valueCell(field, result, report.units))}
    ${sourceCell(field, { ...answered, date }, report.catalog)}
  </tr>`
}

/** The publisher and the dataset of a result, with a link, and the date of the data. */
export function sourceCell(field: Field, { source, source_url, date }: DatedSource, catalog: Catalog): Html {
  return html`<td class="source"><a href="${source_url}">${sourceNameOf(source, field, catalog)}</a>, ${date}</td>`
}
type DatedSource = Pick<FieldResult, 'source' | 'source_url'> & { date: string }

/** A note about the date can be long, and its first sentence says enough for a narrow column. */
function firstSentenceOf(text: string): string {
  return text.split(/(?<=\.)\s/)[0]!
}

function valueCell(field: Field, result: FieldResult, units: UnitSystem): Html {
  if (result.status !== 'ok') return html`<td class="none">${result.status === 'failed' ? 'failed' : 'no value'}</td>`
  const { first, other } = displayOf(field, result, units)
  const margin = marginTextOf(field.name, result, units)
  const details = [
    other,
    margin === null ? null : `${margin} (90% confidence)`,
    result.reliability === 'low' ? 'low reliability' : null,
    result.uncertainty_m === undefined ? null : `within ${result.uncertainty_m} m`,
    result.notes,
  ].filter((text) => text !== null)
  return html`<td class="value">
    ${first}${details.length === 0 ? html`` : html`<small>${details.join(' · ')}</small>`}
  </td>`
}

/** The fields without a value, with the reason: nothing there, or nobody could answer. */
function missing(report: Report): Html {
  const lists = report.places.flatMap((place, i) => {
    const letter = letterOf(report, i)
    const results = report.requested.map((field) => ({ field, result: place.fields[field.name]! }))
    const reasons = results.flatMap(({ field, result }) =>
      result.status === 'ok' ? [] : [{ field, isFailed: result.status === 'failed', reason: reasonOf(field, result) }],
    )
    return reasons.length === 0
      ? []
      : [
          html`${letter === '' ? html`` : html`<h3>Place ${letter}</h3>`}
          ${reasonList(
            'No value at this place',
            reasons.filter(({ isFailed }) => !isFailed),
          )}
          ${reasonList(
            'Could not be answered',
            reasons.filter(({ isFailed }) => isFailed),
          )}`,
        ]
  })
  return html`<h2>What is missing, and why</h2>
    ${lists.length === 0 ? html`<p>Nothing: every field has a value.</p>` : lists}`
}

/** Why a field has no value. */
export type Reason = { field: Field; reason: string }

/** One line per reason, with all fields that it applies to. */
export function reasonList(heading: string, reasons: Reason[]): Html {
  if (reasons.length === 0) return html``
  const byReason = [...Map.groupBy(reasons, ({ reason }) => reason)]
  return html`<h3>${heading}</h3>
    <ul>
      ${byReason.map(([reason, entries]) => html`<li>${entries.map(({ field }) => titleOf(field)).join(', ')}: <span class="soft">${reasonText(reason)}</span></li>`)}
    </ul>`
}

/** Commands between backquotes are code. */
function reasonText(reason: string): Html[] {
  return reason.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

function reasonOf(field: Field, result: Exclude<FieldResult, { status: 'ok' }>): string {
  if (result.status === 'absent') return absenceText(result, field.null_meaning)
  const { code, message } = parseFailure(result)
  return `${message} (${code})`
}

/** The sources with their licenses, and how to make the report again. */
export function renderSourcesAndCommand(
  services: readonly string[],
  commands: Report['commands'],
  catalog: Catalog,
): Html {
  const used = new Set(services)
  const lines = [...catalog.datasets.values()].filter(({ service }) => used.has(service)).map(licenseLine)
  return html`<h2>Sources and licenses</h2>
    <ul class="small">
      ${[...new Set(lines)].map((line) => html`<li>${line}</li>`)}
    </ul>
    <h2>Make this report again</h2>
    <pre><code>${commands.shell}</code></pre>
    <p class="small"><a href="${commands.url}">${commands.url}</a></p>`
}

function licenseLine({ publisher, license, attribution }: Dataset): string {
  return attribution === undefined ? `${publisher}: ${license}.` : `${publisher}: ${license}. ${attribution}`
}

/** The title of a field in a report. */
export function titleOf({ name, unit }: Field): string {
  return fieldLabel(name, unit)
}

function displayOf({ name, class_labels }: Field, result: FieldResult, units: UnitSystem) {
  return displayValueOf(name, result, { units, class_labels })
}
