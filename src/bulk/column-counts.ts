import type { OutcomeColumn } from '../fetch/outcome-column.ts'
import { ValueCounts, type RunReportState } from '../runs/run-report-builder.ts'

/** Returns the places where a field failed. */
export function failedPlacesOf(columns: readonly OutcomeColumn[]): ReadonlySet<number> {
  const failed = new Set<number>()
  for (const { otherOutcomes } of columns)
    for (const [place, { members }] of otherOutcomes) if (members.object.status === 'failed') failed.add(place)
  return failed
}

/** Counts the places where no field failed, as the report of a run does. */
export function countColumns(
  columns: readonly OutcomeColumn[],
  fields: readonly string[],
  failed: ReadonlySet<number>,
): RunReportState {
  const size = columns[0]?.keys.length ?? 0
  const hasValue = new Uint8Array(size)
  const isOutside = new Uint8Array(size)
  const places = size - failed.size
  const valueCounts = columns.map(() => new ValueCounts())
  let ok = 0
  for (const [i, column] of columns.entries())
    for (let place = 0; place < size; place++) {
      if (failed.has(place)) continue
      const members = column.sharedOutcomeAt(place)?.members.object
      const isOk = !members || members.status === 'ok'
      if (isOk) {
        ok++
        hasValue[place] = 1
        valueCounts[i]!.add(column.valueAt(place))
      } else if (members.status === 'absent' && members.absent_reason === 'outside_coverage') isOutside[place] = 1
    }
  let uncovered_locations = 0
  for (let place = 0; place < size; place++) if (hasValue[place] === 0 && isOutside[place] === 1) uncovered_locations++
  return {
    locations: { total: places, ok: places, failed: 0 },
    values: { total: places * columns.length, ok, absent: places * columns.length - ok, failed: 0 },
    uncovered_locations,
    location_errors: [],
    field_errors: [],
    value_counts: valueCounts.map((counts, i) => [fields[i]!, counts.entries()]),
  }
}
