import type { FieldOutcome, OutcomeColumn } from '../fetch/outcome-column.ts'
import { ValueCounts, type RunReportState } from '../runs/report/run-report-builder.ts'

/** Returns the places where a field failed. */
export function failedPlacesOf(columns: readonly OutcomeColumn[]): ReadonlySet<number> {
  const failed = new Set<number>()
  for (const column of columns) {
    const { keys } = column
    // An outcome that places share is no failure.
    for (let i = 0; i < keys.length; i++)
      if (keys[i]! < 0 && column.at(i).members.object.status === 'failed') failed.add(i)
  }
  return failed
}

/** Whether a field of a place failed, has a value, or is outside the coverage. */
type PlaceFlags = { failed: ReadonlySet<number>; hasValue: Uint8Array; isOutside: Uint8Array }

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
    const counts = this.#counters.map((counter, field) => counter.count(columns[field]!, flags))
    const ok = counts.reduce((sum, count) => sum + count.ok, 0)
    let uncovered_locations = 0
    for (let place = 0; place < size; place++)
      if (flags.hasValue[place] === 0 && flags.isOutside[place] === 1) uncovered_locations++
    return {
      locations: { total: places, ok: places, failed: 0 },
      values: { total: places * counts.length, ok, absent: places * counts.length - ok, failed: 0 },
      uncovered_locations,
      location_errors: [],
      field_errors: [],
      value_counts: counts.map(({ values }, i) => [this.#fields[i]!, values.entries()]),
    }
  }
}

/** The kinds of outcomes, as they are counted. */
const unknown = 0
const withValue = 1
const outside = 2
const withoutValue = 3

/** Counts the values of a field. The outcome of a key is looked at once, and the places of a key are counted together. */
class FieldCounter {
  /** The kinds of these outcomes by key, and the places of a block that have the key. */
  #shared: OutcomeColumn['shared'] = []
  #kinds = new Uint8Array()
  #placesOfKey = new Int32Array()
  /** Whether a block had too many different values to count those of the field in the whole run. */
  #isFull = false

  count(column: OutcomeColumn, { failed, hasValue, isOutside }: PlaceFlags): { ok: number; values: ValueCounts } {
    this.#prepare(column)
    const { keys, shared } = column
    const values = new ValueCounts()
    let ok = 0
    for (let place = 0; place < keys.length; place++) {
      if (failed.size > 0 && failed.has(place)) continue
      const key = keys[place]!
      const kind = key >= 0 ? this.#kindOfKey(key) : kindOf(column.at(place))
      if (kind === outside) isOutside[place] = 1
      if (kind !== withValue) continue
      ok++
      hasValue[place] = 1
      if (key >= 0) this.#placesOfKey[key]!++
      else this.#add(values, column.at(place), 1)
    }
    for (let key = 0; key < shared.length; key++) {
      const places = this.#placesOfKey[key]!
      if (places === 0) continue
      this.#placesOfKey[key] = 0
      this.#add(values, shared[key]!, places)
    }
    return { ok, values }
  }

  /** Makes room for the keys of a column. */
  #prepare({ shared }: OutcomeColumn): void {
    if (this.#shared !== shared) this.#kinds = new Uint8Array()
    this.#shared = shared
    if (this.#kinds.length >= shared.length) return
    const kinds = new Uint8Array(2 * shared.length)
    kinds.set(this.#kinds)
    this.#kinds = kinds
    this.#placesOfKey = new Int32Array(kinds.length)
  }

  #kindOfKey(key: number): number {
    const known = this.#kinds[key]!
    return known === unknown ? (this.#kinds[key] = kindOf(this.#shared[key]!)) : known
  }

  #add(values: ValueCounts, { value }: FieldOutcome, places: number): void {
    if (this.#isFull) return
    values.add(value, places)
    this.#isFull = values.isFull
  }
}

function kindOf({ members: { object } }: FieldOutcome): number {
  if (object.status === 'ok') return withValue
  return object.status === 'absent' && object.absent_reason === 'outside_coverage' ? outside : withoutValue
}
