import { classLabels } from '../../../catalog/contents.ts'
import type { AreaFieldResult } from '../../areas/area-answer.ts'
import { isRecord } from '../../model/record.ts'
import { invisibleCharacters } from '../../model/text.ts'
import { areaDisplayOf, percentText, sizeText } from '../../web/areas/area-rows.ts'

/** As wide as the longest name of a field. */
const columnMax = 54
const allInvisible = new RegExp(invisibleCharacters, 'gu')

/** Returns a JSON answer as a table for people: the fields of a fetch, else each member with its value. */
export function answerTable(answer: unknown): string[] {
  if (!isRecord(answer)) return [JSON.stringify(answer)]
  if (isRecord(answer.detail)) return errorLines(answer.detail)
  if (Array.isArray(answer.detail)) return answer.detail.filter(isRecord).map(violationLine)
  return isRecord(answer.fields) ? fetchLines(answer, answer.fields) : alignColumns(memberRows(answer))
}

/** The message of an error, and the addresses or places that may be meant. */
function errorLines({ message, error, candidates }: Record<string, unknown>): string[] {
  const meant = Array.isArray(candidates) ? candidates.filter(isRecord) : []
  return [`${text(message)} (${text(error)})`, ...meant.map(({ resolved_address }) => `  ${text(resolved_address)}`)]
}

/** Returns a rejected request as lines for standard error: its message, or with --json one line of JSON. */
export function rejectionLines(answer: unknown, isJson: boolean): string[] {
  return isJson ? [JSON.stringify(answer)] : answerTable(answer)
}

/** Pads every column but the last to the width of its longest cell, at most `max`. */
export function alignColumns(rows: readonly (readonly string[])[], max = columnMax): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.min(max, Math.max(...rows.map((row) => row[i]!.length))))
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  )
}

function fetchLines(
  { lat, lng, geocode, area_m2, length_m }: Record<string, unknown>,
  fields: Record<string, unknown>,
): string[] {
  const address = isRecord(geocode) ? ` ${text(geocode.normalized_address)} (${text(geocode.accuracy_type)})` : ''
  const warnings = isRecord(geocode) && Array.isArray(geocode.warnings) ? geocode.warnings.map(text) : []
  const rows = Object.entries(fields).map(([name, result]) => [
    name,
    ...(isRecord(result) ? resultCells(name, result) : ['', '']),
  ])
  const size = sizeText(typeof area_m2 === 'number' ? { area_m2 } : { length_m: Number(length_m) }, 'metric')
  const heading = lat === undefined ? size : `${text(lat)}, ${text(lng)}${address}`
  return [heading, ...warnings, '', ...alignColumns([['field', 'value', 'source'], ...rows])]
}

function resultCells(name: string, result: Record<string, unknown>): string[] {
  const { status, value, unit, moe_90, uncertainty_m, source, dataset_vintage, absent_reason, error, area_kind } =
    result
  if (status === 'failed') return ['failed', text(error)]
  if (status === 'absent') return [`none (${text(absent_reason)})`, text(source)]
  const sourceText = typeof dataset_vintage === 'string' ? `${text(source)}, ${dataset_vintage}` : text(source)
  if (area_kind !== undefined) return [areaText(name, result as OkAreaResult), sourceText]
  const unitText = typeof unit === 'string' ? ` ${unit}` : ''
  const margin = [moe_90, uncertainty_m].find((it) => typeof it === 'number')
  return [`${withClassLabel(name, text(value))}${unitText}${margin === undefined ? '' : ` ± ${margin}`}`, sourceText]
}

type OkAreaResult = Extract<AreaFieldResult, { status: 'ok' }>

/** The most shares of a field in an area. With --json, the answer has all. */
const sharesMax = 6

/** What a field says about an area: its main value, its shares, and further numbers. */
function areaText(name: string, result: OkAreaResult): string {
  const class_labels = classLabels[name]
  const options = { name, units: 'metric' as const, ...(class_labels && { class_labels }) }
  const { main, rows, absent, facts } = areaDisplayOf(result, options)
  const isOfUnits = 'units' in result.value
  const shares = rows.map(({ label, share }) =>
    isOfUnits ? `${label} (${percentText(share)} of the area)` : `${label} ${percentText(share)}`,
  )
  const more = shares.length > sharesMax ? [`${shares.length - sharesMax} more`] : []
  const isRepeated = 'share_true' in result.value
  return [
    ...new Set([main, ...shares.slice(isRepeated ? 1 : 0, sharesMax), ...more]),
    ...absent.map(({ label, share }) => `${label} ${percentText(share)}`),
    ...facts.map(({ label, text: fact }) => `${label.toLowerCase()} ${fact}`),
  ].join('; ')
}

/** Adds what a class of a field means: `AE (in the 100-year floodplain)`. */
export function withClassLabel(field: string, value: string): string {
  const label = classLabels[field]?.[value]
  return label === undefined ? value : `${value} (${label})`
}

function memberRows(answer: Record<string, unknown>, prefix = ''): string[][] {
  return Object.entries(answer).flatMap(([name, value]) => {
    if (isRecord(value)) return memberRows(value, `${prefix}${name}.`)
    if (!Array.isArray(value)) return [[prefix + name, text(value)]]
    return value.map((item: unknown) => [
      prefix + name,
      isRecord(item) ? Object.values(item).map(text).join(', ') : text(item),
    ])
  })
}

function violationLine({ loc, msg }: Record<string, unknown>): string {
  return `${Array.isArray(loc) ? loc.join('.') : ''}: ${text(msg)}`
}

/** Control characters in the text of a publisher become spaces, because a terminal would obey them. */
function text(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? value.replace(allInvisible, ' ') : JSON.stringify(value)
}
