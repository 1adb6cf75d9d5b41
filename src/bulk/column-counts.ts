import type { FieldOutcome } from '../fetch/field-outcome.ts'
import type { OutcomeColumn } from '../fetch/outcome-column.ts'
import { ownValueKey } from '../fetch/read-column.ts'
import { ValueCounts, type RunReportState } from '../runs/run-report-builder.ts'

/** Returns the places where a field failed. */
export function failedPlacesOf(columns: readonly OutcomeColumn[]): ReadonlySet<number> {
  const failed = new Set<number>()
  for (const { otherOutcomes } of columns)
    for (const [place, { members }] of otherOutcomes) if (members.object.status === 'failed') failed.add(place)
  return failed
}

/** Whether a field of a place failed, has a value, or is outside the coverage. */
type PlaceFlags = { failed: ReadonlySet<number>; hasValue: Uint8Array; isOutside: Uint8Array }

/** The kinds of outcomes, as they are counted. */
const unknown = 0
const withValue = 1
const outside = 2
const withoutValue = 3

/** Counts the places where no field failed, as the report of a run does. */
export class ColumnCounter {
  readonly #fields: readonly string[]
  readonly #counters: FieldCounter[]

  constructor(fields: readonly string[]) {
    this.#fields = fields
    this.#counters = fields.map(() => new FieldCounter())
  }

  /** Returns the counts of a block. */
  count(columns: readonly OutcomeColumn[], failed: ReadonlySet<number>): RunReportState {
    const size = columns[0]?.keys.length ?? 0
    const flags = { failed, hasValue: new Uint8Array(size), isOutside: new Uint8Array(size) }
    const places = size - failed.size
    const counts = columns.map((column, i) => this.#counters[i]!.count(column, flags))
    const ok = counts.reduce((sum, count) => sum + count.ok, 0)
    let uncovered_locations = 0
    for (let place = 0; place < size; place++)
      if (flags.hasValue[place] === 0 && flags.isOutside[place] === 1) uncovered_locations++
    return {
      locations: { total: places, ok: places, failed: 0 },
      values: { total: places * columns.length, ok, absent: places * columns.length - ok, failed: 0 },
      uncovered_locations,
      location_errors: [],
      field_errors: [],
      value_counts: counts.map(({ values }, i) => [this.#fields[i]!, values.entries()]),
    }
  }
}

/** Counts the values of a field. The outcome of a key is looked at once, and the places of a key are counted together. */
class FieldCounter {
  #outcomesByKey: OutcomeColumn['outcomesByKey'] = []
  #kinds = new Uint8Array()
  #rowsOfKey = new Int32Array()
  /** Whether a block had too many different values to count those of the field in the whole run. */
  #isFull = false

  count(column: OutcomeColumn, { failed, hasValue, isOutside }: PlaceFlags): { ok: number; values: ValueCounts } {
    this.#prepare(column)
    const { keys } = column
    const rowsOfKey = this.#rowsOfKey
    const values = new ValueCounts()
    let ok = 0
    for (let place = 0; place < keys.length; place++) {
      if (failed.size > 0 && failed.has(place)) continue
      const kind = this.#kindAt(column, place)
      if (kind === withValue) {
        ok++
        hasValue[place] = 1
        if (keys[place]! >= 0 && !this.#isFull) rowsOfKey[keys[place]!]!++
      } else if (kind === outside) isOutside[place] = 1
    }
    for (let place = 0; place < keys.length && !this.#isFull; place++) {
      const key = keys[place]!
      const isCounted = key < 0 ? !failed.has(place) && this.#kindAt(column, place) === withValue : rowsOfKey[key]! > 0
      if (!isCounted) continue
      values.add(column.valueAt(place), key < 0 ? 1 : rowsOfKey[key]!)
      if (key >= 0) rowsOfKey[key] = 0
      this.#isFull = values.isFull
    }
    return { ok, values }
  }

  /** Makes room for the keys of a column. */
  #prepare({ outcomesByKey }: OutcomeColumn): void {
    if (this.#outcomesByKey !== outcomesByKey) this.#kinds = new Uint8Array()
    this.#outcomesByKey = outcomesByKey
    if (this.#kinds.length >= outcomesByKey.length) return
    const kinds = new Uint8Array(2 * outcomesByKey.length)
    kinds.set(this.#kinds)
    this.#kinds = kinds
    this.#rowsOfKey = new Int32Array(kinds.length)
  }

  #kindAt(column: OutcomeColumn, place: number): number {
    const key = column.keys[place]!
    if (key === ownValueKey) return withValue
    if (key < 0) return kindOf(column.sharedOutcomeAt(place)!)
    const known = this.#kinds[key]!
    return known === unknown ? (this.#kinds[key] = kindOf(column.outcomesByKey[key]!)) : known
  }
}

function kindOf({ members: { object } }: FieldOutcome): number {
  if (object.status === 'ok') return withValue
  return object.status === 'absent' && object.absent_reason === 'outside_coverage' ? outside : withoutValue
}
