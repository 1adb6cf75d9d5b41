import type { BlockOutcomes } from '../fetch/fetch-plan.ts'
import type { FieldOutcome } from '../fetch/field-outcome.ts'
import { ValueCounts, type RunReportState } from '../runs/run-report-builder.ts'

/** Returns the places where a field failed. */
export function failedPlacesOf({ outcomes, shared }: BlockOutcomes): ReadonlySet<number> {
  const failed = new Set<number>()
  for (let i = 0; i < outcomes.length; i++)
    if (outcomes[i]!.members.object.status === 'failed') failed.add(Math.floor(i / shared.length))
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

  /** Returns the counts of a block of this many places. */
  count(block: BlockOutcomes, size: number, failed: ReadonlySet<number>): RunReportState {
    const flags = { failed, hasValue: new Uint8Array(size), isOutside: new Uint8Array(size) }
    const places = size - failed.size
    const counts = this.#counters.map((counter, field) => counter.count(block, field, flags))
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

/** Counts the values of a field. The places that share an outcome are counted together. */
class FieldCounter {
  #placesOfKey = new Int32Array()
  /** Whether a block had too many different values to count those of the field in the whole run. */
  #isFull = false

  count(
    { outcomes, shared }: BlockOutcomes,
    field: number,
    { failed, hasValue, isOutside }: PlaceFlags,
  ): { ok: number; values: ValueCounts } {
    const keys = shared[field]!.length
    if (this.#placesOfKey.length < keys) this.#placesOfKey = new Int32Array(2 * keys)
    const values = new ValueCounts()
    let ok = 0
    for (let place = 0; place < hasValue.length; place++) {
      if (failed.size > 0 && failed.has(place)) continue
      const outcome = outcomes[place * shared.length + field]!
      if (outcome.members.object.status === 'ok') {
        ok++
        hasValue[place] = 1
        if (outcome.key >= 0) this.#placesOfKey[outcome.key]!++
        else this.#add(values, outcome.value, 1)
      } else if (isOutsideCoverage(outcome)) isOutside[place] = 1
    }
    for (let key = 0; key < keys; key++) {
      const places = this.#placesOfKey[key]!
      if (places === 0) continue
      this.#placesOfKey[key] = 0
      this.#add(values, shared[field]![key]!.value, places)
    }
    return { ok, values }
  }

  #add(values: ValueCounts, value: FieldOutcome['value'], places: number): void {
    if (this.#isFull) return
    values.add(value, places)
    this.#isFull = values.isFull
  }
}

function isOutsideCoverage({ members: { object } }: FieldOutcome): boolean {
  return object.status === 'absent' && object.absent_reason === 'outside_coverage'
}
