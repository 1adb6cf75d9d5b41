import type { ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import { unavailableCodes, type Answerable } from '../runs/report/missing-values.ts'
import type { RunReport } from '../runs/report/run-report.ts'
import { RunReportBuilder, type RunReportState } from '../runs/report/run-report-builder.ts'

/** Rows that miss something for the same reason, as ranges of indexes, and what they count in the report. */
export type UnansweredGroup = { reason: string; ranges: [first: number, last: number][]; report: RunReportState }

/** The counts of answered rows: those that are final, and those that may be answered better later. */
export type AnswerCounts = { final: RunReportState; unanswered: UnansweredGroup[] }

const retryableReason = 'retryable'
const geocoderReason = 'geocoder'
const fieldsReason = 'fields '

/** Counts rows, and remembers which of them a later run may answer better. */
export class AnswerCounter {
  readonly #final = new RunReportBuilder()
  readonly #groups = new Map<string, { ranges: [first: number, last: number][]; report: RunReportBuilder }>()

  add(row: ArtifactRow, fields: string[]): void {
    const reason = reasonOf(row, fields)
    if (reason === null) return this.#final.add(row, fields)
    const group = this.#groupOf(reason)
    addRange(group.ranges, [row.index, row.index])
    group.report.add(row, fields)
  }

  merge({ final, unanswered }: AnswerCounts): void {
    this.#final.merge(final)
    for (const { reason, ranges, report } of unanswered) {
      const group = this.#groupOf(reason)
      for (const range of ranges) addRange(group.ranges, range)
      group.report.merge(report)
    }
  }

  counts(): AnswerCounts {
    return {
      final: this.#final.state(),
      unanswered: [...this.#groups].map(([reason, { ranges, report }]) => ({ reason, ranges, report: report.state() })),
    }
  }

  #groupOf(reason: string) {
    const known = this.#groups.get(reason)
    if (known) return known
    const group = { ranges: [], report: new RunReportBuilder() }
    this.#groups.set(reason, group)
    return group
  }
}

/** Returns the report of all rows. */
export function reportOfCounts({ final, unanswered }: AnswerCounts): RunReport {
  const report = new RunReportBuilder()
  report.merge(final)
  for (const group of unanswered) report.merge(group.report)
  return report.finish()
}

/** Whether the rows of a group may be answered better now. */
export function mayBeAnswered({ reason }: UnansweredGroup, { fields, hasGeocoder }: Answerable): boolean {
  if (reason === geocoderReason) return hasGeocoder
  if (!reason.startsWith(fieldsReason)) return true
  return reason
    .slice(fieldsReason.length)
    .split(',')
    .some((field) => fields.includes(field))
}

/** Returns why a row may be answered better later, as the name of its group; null if it is final. */
function reasonOf({ ok, error, isErrorRetryable, reasons }: ArtifactRow, fields: string[]): string | null {
  if (!ok) return isErrorRetryable ? retryableReason : error === 'geocoder_not_configured' ? geocoderReason : null
  let missing: string | null = null
  for (const [i, { status, reason, retryable }] of reasons.entries()) {
    if (status !== 'failed') continue
    if (retryable) return retryableReason
    if (reason === null || !unavailableCodes.has(reason)) continue
    missing = missing === null ? `${fieldsReason}${fields[i]!}` : `${missing},${fields[i]!}`
  }
  return missing
}

/** Adds a range. Ranges that follow each other are joined. */
export function addRange(ranges: [first: number, last: number][], [first, last]: [first: number, last: number]): void {
  const previous = ranges.at(-1)
  if (previous && previous[1] + 1 === first) previous[1] = last
  else ranges.push([first, last])
}
