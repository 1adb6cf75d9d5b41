import { compileJsonPath } from '../model/json-path.ts'
import { isRecord } from '../model/record.ts'
import { formatTimestamp } from '../model/text.ts'
import type { Dataset } from './records.ts'

/** Where the records of a dataset state their date. See `Dataset`. */
type DatedBy = NonNullable<Dataset['dated_by']>

/** The cells of a raster with editions state their year. */
const yearOfCells: DatedBy = { text: '{year}' }

/** Whether the records of a dataset state their date. */
export function areRecordsDated({ dated_by, shape }: Dataset): boolean {
  return dated_by !== undefined || shape === 'raster'
}

/**
 * The date of the records that a value was read from, as their publisher states it: a time in UTC, a day, or an edition
 * such as `2026 Q1`. Several dates are a period. null if a record states none, or one in the future.
 */
export function dateOfRecords(records: readonly unknown[], { dated_by, shape }: Dataset, now: Date): string | null {
  const datedBy = dated_by ?? (shape === 'raster' ? yearOfCells : null)
  if (datedBy === null) return null
  const parts = datedBy.from === undefined ? records : records.flatMap(compileJsonPath(datedBy.from))
  const dates = parts.flatMap((part) => dateOfRecord(part, datedBy.text, now) ?? [])
  if (dates.length === 0 || dates.length < parts.length) return null
  const sorted = [...new Set(dates)].toSorted()
  return sorted.length === 1 ? sorted[0]! : `${sorted[0]} to ${sorted.at(-1)}`
}

function dateOfRecord(record: unknown, text: string, now: Date): string | null {
  if (!isRecord(record)) return null
  const members = memberNamesIn(text).map((name) => record[name])
  if (members.some((it) => (typeof it !== 'string' && typeof it !== 'number') || it === '')) return null
  const filled = memberNamesIn(text).reduce(
    (filledText, name) => filledText.replace(`{${name}}`, String(record[name])),
    text,
  )
  return normalizeDate(filled.trim(), now)
}

/** The members that a text such as `{year} Q{qtr}` names. */
export function memberNamesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

const epochPattern = /^\d{12,13}$/
const zonedTimePattern = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/
const dayPattern = /^(\d{4}-\d\d-\d\d)([T ].*)?$/
const usDayPattern = /^(\d{1,2})\/(\d{1,2})\/(\d{4})\b/

/** A time with its zone becomes UTC; a time without one, or at midnight UTC in epoch milliseconds, becomes a day. */
function normalizeDate(text: string, now: Date): string | null {
  if (epochPattern.test(text)) return pastDate(new Date(Number(text)), now)?.slice(0, 10) ?? null
  if (zonedTimePattern.test(text)) return pastDate(new Date(text), now)
  const [month, day, year] = usDayPattern.exec(text)?.slice(1) ?? []
  const date =
    year === undefined ? dayPattern.exec(text)?.[1] : `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
  if (date === undefined) return text
  return pastDate(new Date(`${date}T00:00:00Z`), now) && date
}

const day_ms = 86_400_000

/** Older dates stand for an unknown date, such as `0001-01-01`. */
const oldest = new Date('1800-01-01')

/** null for no date, and for the placeholders, long ago or in the future, that stand for an unknown date. */
function pastDate(date: Date, now: Date): string | null {
  const isPlausible = date >= oldest && date.getTime() <= now.getTime() + day_ms
  return isPlausible ? formatTimestamp(date) : null
}

/** Says how current data without a vintage is: the note of the dataset, or that the publisher states no date. */
export function vintageNoteOf({ vintage_note }: Pick<Dataset, 'vintage_note'>): string {
  return vintage_note ?? 'The publisher states no date.'
}
