import type { ArtifactRow } from '../artifacts/artifact-row.ts'
import type { FieldErrorGroup, LocationErrorGroup, RunReport } from './run-report.ts'

/** The different values that are counted for a field. */
const countedValuesMax = 20
/** Counts the values that are no text. No text of a source has this character. */
const notText = '\u0000'

/** Counts the values of one field, until there are too many different ones. */
export class ValueCounts {
  readonly #counts = new Map<string, number>()

  /** Whether no more is counted: a field with another value, or with too many, has no counts in the report. */
  isFull = false

  add(value: unknown, rows: number): void {
    if (this.isFull) return
    const key = typeof value === 'string' ? value : notText
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + rows)
    this.isFull = key === notText || this.#counts.size > countedValuesMax
  }

  entries(): [value: string, rows: number][] {
    return [...this.#counts]
  }
}

/** The counts of a builder as plain data. `value_counts` has the counts of each value, by field. */
export type RunReportState = Omit<RunReport, 'value_counts'> & {
  value_counts: [field: string, counts: [value: string, rows: number][]][]
}

/** Counts the rows of a run. */
export class RunReportBuilder {
  readonly #locations = { total: 0, ok: 0, failed: 0 }
  readonly #values = { total: 0, ok: 0, absent: 0, failed: 0 }
  readonly #locationErrors = new Map<string, LocationErrorGroup>()
  readonly #fieldErrors = new Map<string, FieldErrorGroup>()
  readonly #valueCounts = new Map<string, ValueCounts>()
  #uncovered = 0

  add(row: ArtifactRow, fields: string[]): void {
    this.#locations.total++
    this.#locations[row.ok ? 'ok' : 'failed']++
    this.#values.total += fields.length
    if (!row.ok) {
      this.#values.failed += fields.length
      this.#addLocationError(row)
      return
    }
    for (const [i, { status }] of row.reasons.entries()) {
      this.#values[status]++
      if (status === 'failed') this.#addFieldError(fields[i]!, row.reasons[i]!)
      if (status === 'ok') this.#countsOf(fields[i]!).add(row.values[i], 1)
    }
    const hasValue = row.reasons.some(({ status }) => status === 'ok')
    if (!hasValue && row.reasons.some(({ reason }) => reason === 'outside_coverage')) this.#uncovered++
  }

  /** The counts until now, which `merge` adds to those of another builder. */
  state(): RunReportState {
    return {
      locations: this.#locations,
      values: this.#values,
      uncovered_locations: this.#uncovered,
      location_errors: [...this.#locationErrors.values()],
      field_errors: [...this.#fieldErrors.values()],
      value_counts: [...this.#valueCounts].map(([field, counts]) => [field, counts.entries()]),
    }
  }

  /** Adds the counts of other rows. */
  merge({ locations, values, uncovered_locations, location_errors, field_errors, value_counts }: RunReportState): void {
    for (const name of ['total', 'ok', 'failed'] as const) this.#locations[name] += locations[name]
    for (const name of ['total', 'ok', 'absent', 'failed'] as const) this.#values[name] += values[name]
    this.#uncovered += uncovered_locations
    for (const group of location_errors) this.#mergeLocationErrors(group)
    for (const group of field_errors) this.#mergeFieldErrors(group)
    for (const [field, counts] of value_counts)
      for (const [value, rows] of counts) this.#countsOf(field).add(value, rows)
  }

  finish(): RunReport {
    return {
      locations: this.#locations,
      values: this.#values,
      value_counts: Object.fromEntries(
        [...this.#valueCounts]
          .filter(([, counts]) => !counts.isFull)
          .map(([field, counts]) => [field, Object.fromEntries(counts.entries())]),
      ),
      uncovered_locations: this.#uncovered,
      location_errors: [...this.#locationErrors.values()].toSorted((a, b) => b.locations - a.locations),
      field_errors: [...this.#fieldErrors.values()].toSorted((a, b) => b.values - a.values),
    }
  }

  #countsOf(field: string): ValueCounts {
    let counts = this.#valueCounts.get(field)
    if (!counts) this.#valueCounts.set(field, (counts = new ValueCounts()))
    return counts
  }

  #addLocationError({ index, error, errorMessage, isErrorRetryable }: ArtifactRow): void {
    this.#mergeLocationErrors({
      error: error ?? 'internal_error',
      message: errorMessage ?? '',
      retryable: isErrorRetryable,
      locations: 1,
      first_index: index,
    })
  }

  #mergeLocationErrors(added: LocationErrorGroup): void {
    const group = this.#locationErrors.get(added.error)
    if (!group) return void this.#locationErrors.set(added.error, { ...added })
    const { message, first_index } = added.first_index < group.first_index ? added : group
    Object.assign(group, { message, first_index, locations: group.locations + added.locations })
  }

  #addFieldError(field: string, { reason, source, message, retryable }: ArtifactRow['reasons'][number]): void {
    const error = reason ?? 'internal_error'
    this.#mergeFieldErrors({ error, source, message: message ?? '', retryable, fields: [field], values: 1 })
  }

  #mergeFieldErrors({ fields, ...added }: FieldErrorGroup): void {
    const key = `${added.error} ${added.source ?? ''}`
    const group = this.#fieldErrors.get(key)
    if (!group) return void this.#fieldErrors.set(key, { ...added, fields: [...fields] })
    group.values += added.values
    for (const field of fields) if (!group.fields.includes(field)) group.fields.push(field)
  }
}
