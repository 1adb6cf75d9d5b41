import type { App } from '../../app.ts'
import { parseShapeText, type AreaSelector } from '../../areas/shape/shape-text.ts'
import { unitSystems, type UnitSystem } from '../../ask/answer/display-units.ts'
import type { Field } from '../../catalog/records.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { datasetsOfField } from '../../catalog/read-spec.ts'
import { hasBilledSource } from '../../fetch/sources/source-registry.ts'
import { ValidationError, type Violation } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { splitNames } from '../../model/text.ts'
import { pointParameter } from '../../web/map/geometry.ts'
import { invisibleViolations } from '../places/location.ts'
import { createLiteralViolation, createViolation } from '../request/violations.ts'

/** The path of the report. A browser that is not signed in is sent to the sign-in page. */
export const reportPath = '/report'
/** The name that stands for every field, except those of sources that bill each call. */
const allFields = 'all'
const nameMax_characters = 200

/** What a report is about: one place, two places, or an area. */
type ReportSubject = { kind: 'places'; places: Point[] } | { kind: 'area'; shape: AreaSelector; text: string }

/** The query of a report. */
export type ReportQuery = {
  subject: ReportSubject
  preset: string | undefined
  fields: string[]
  units: UnitSystem
  name: string | null
}

/**
 * @throws {ValidationError} for a missing or malformed place or area, for unknown units, and for a name with invisible
 * characters.
 */
export function parseReportQuery(query: URLSearchParams): ReportQuery {
  const subject = parseSubject(query)
  const units = query.get('units') ?? 'us'
  const name = query.get('name')?.slice(0, nameMax_characters) || null
  const violations = [
    ...('kind' in subject ? [] : subject),
    ...(isUnitSystem(units) ? [] : [createLiteralViolation(['query', 'units'], unitSystems, units)]),
    ...invisibleViolations(name ?? '', ['query', 'name']),
  ]
  if (!('kind' in subject) || !isUnitSystem(units) || violations.length > 0) throw new ValidationError(violations)
  return {
    subject,
    preset: query.get('preset') ?? undefined,
    fields: query.getAll('fields').flatMap(splitNames),
    units,
    name,
  }
}

function parseSubject(query: URLSearchParams): ReportSubject | Violation[] {
  const text = query.get('shape')
  if (text !== null) return parseArea(text, query)
  const [at, vs] = ['at', 'vs'].map((name) => parsePoint(query.get(name)))
  const type = query.has('at') ? 'value_error' : 'missing'
  const violations = [
    ...(at ? [] : [createViolation(type, ['query', 'at'], pointAdvice, query.get('at'))]),
    ...(vs || !query.has('vs') ? [] : [createViolation('value_error', ['query', 'vs'], pointAdvice, query.get('vs'))]),
  ]
  return at && violations.length === 0 ? { kind: 'places', places: vs ? [at, vs] : [at] } : violations
}

const pointAdvice = 'Give a latitude and a longitude, such as 39.7392,-104.9903'

function parseArea(text: string, query: URLSearchParams): ReportSubject | Violation[] {
  const violation = (msg: string) => [createViolation('value_error', ['query', 'shape'], msg, text.slice(0, 100))]
  if (query.has('at') || query.has('vs'))
    return violation('A report is about an area or about places. Remove `shape` or `at`')
  const shape = parseShapeText(text)
  if (!shape) return violation('Give an area, such as polygon:39.73,-105.02;39.73,-104.98;39.76,-105')
  if (shape.parcel_of) return violation('A report has no parcel, because its provider bills each call')
  return { kind: 'area', shape, text }
}

function parsePoint(text: string | null): Point | null {
  const [lat, lng, ...rest] = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  return rest.length === 0 && Number.isFinite(lat) && Number.isFinite(lng) ? { lat: lat!, lng: lng! } : null
}

function isUnitSystem(text: string): text is UnitSystem {
  return unitSystems.some((it) => it === text)
}

/** The fields of a report, as many as one request can name in each list. */
export function requestedFields({ fields, preset }: ReportQuery, { catalog, registry }: App): Field[][] {
  const isFree = (field: Field) =>
    ![...datasetsOfField(field, catalog.fields)].some((id) => hasBilledSource(registry.dataset(id)))
  const requested = fields.includes(allFields)
    ? [...catalog.fields.values()].filter(isFree)
    : selectFields({ fields, preset }, 'none', catalog)
  const max = catalog.fieldsPerRequestMax
  return Array.from({ length: Math.ceil(requested.length / max) }, (_, i) => requested.slice(i * max, (i + 1) * max))
}

/** The address and the command that make the report again. */
export function commandsOf({ subject, preset, fields, units, name }: ReportQuery, base_url: string) {
  const parts = [
    ...(subject.kind === 'area'
      ? [['shape', subject.text]]
      : subject.places.map((place, i) => [i === 0 ? 'at' : 'vs', pointParameter(place)])),
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
