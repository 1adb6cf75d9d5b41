import type { ArtifactRow } from './artifact-row.ts'
import type { FieldErrorGroup, LocationErrorGroup, RunReport } from './run-report.ts'

/** The different values that are counted for a field. */
const countedValuesMax = 20
/** Counts the values that are no text. No text of a source has this character. */
const notText = '\u0000'

/** Counts the rows of a run. */
export class RunReportBuilder {
  readonly #locations = { total: 0, ok: 0, failed: 0 }
  readonly #values = { total: 0, ok: 0, absent: 0, failed: 0 }
  readonly #locationErrors = new Map<string, LocationErrorGroup>()
  readonly #fieldErrors = new Map<string, FieldErrorGroup>()
  readonly #valueCounts = new Map<string, Map<string, number>>()
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
      if (status === 'ok') this.#countValue(fields[i]!, row.values[i])
    }
    const hasValue = row.reasons.some(({ status }) => status === 'ok')
    if (!hasValue && row.reasons.some(({ reason }) => reason === 'outside_coverage')) this.#uncovered++
  }

  finish(): RunReport {
    return {
      locations: this.#locations,
      values: this.#values,
      value_counts: this.#textValueCounts(),
      uncovered_locations: this.#uncovered,
      location_errors: [...this.#locationErrors.values()].toSorted((a, b) => b.locations - a.locations),
      field_errors: [...this.#fieldErrors.values()].toSorted((a, b) => b.values - a.values),
    }
  }

  /** Counts a text. A field with another value, or with more different texts, has no counts. */
  #countValue(field: string, value: unknown): void {
    const counts = this.#valueCounts.get(field) ?? new Map<string, number>()
    this.#valueCounts.set(field, counts)
    if (counts.size > countedValuesMax) return
    const key = typeof value === 'string' ? value : notText
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }

  #textValueCounts(): NonNullable<RunReport['value_counts']> {
    const counted = [...this.#valueCounts].filter(
      ([, counts]) => counts.size <= countedValuesMax && !counts.has(notText),
    )
    return Object.fromEntries(counted.map(([field, counts]) => [field, Object.fromEntries(counts)]))
  }

  #addLocationError({ index, error, errorMessage, isErrorRetryable }: ArtifactRow): void {
    const code = error ?? 'internal_error'
    const group = this.#locationErrors.get(code)
    if (group) group.locations++
    else
      this.#locationErrors.set(code, {
        error: code,
        message: errorMessage ?? '',
        retryable: isErrorRetryable,
        locations: 1,
        first_index: index,
      })
  }

  #addFieldError(field: string, { reason, source, message, retryable }: ArtifactRow['reasons'][number]): void {
    const error = reason ?? 'internal_error'
    const key = `${error} ${source ?? ''}`
    const group = this.#fieldErrors.get(key) ?? {
      error,
      source,
      message: message ?? '',
      retryable,
      fields: [],
      values: 0,
    }
    group.values++
    if (!group.fields.includes(field)) group.fields.push(field)
    this.#fieldErrors.set(key, group)
  }
}
