import type { Value } from '../model/source.ts'
import { requireNumber } from './require-number.ts'
import { nameSchemaOf } from './operator.ts'

/** How several values become one; of none there is no minimum and no list, but a count of 0. */
const reducers = {
  min: (values: Value[]) => extreme(values, Math.min),
  max: (values: Value[]) => extreme(values, Math.max),
  count: (values: Value[]) => values.length,
  count_distinct: (values: Value[]) => distinct(values).length,
  join: (values: Value[], separator: string) => (values.length === 0 ? null : values.join(separator)),
  distinct_join: (values: Value[], separator: string) =>
    values.length === 0 ? null : distinct(values).join(separator),
}
type Reducer = keyof typeof reducers

/** The schema of the names of reducers. */
export const reducerSchema = nameSchemaOf(reducers)

/** One value out of many. Those that are null are left out, but a `join` with a gap is null: what stands in it, stands in its place. */
export function reduceValues(values: Value[], reducer: Reducer, separator = ', '): Value {
  const present = values.filter((value) => value !== null)
  return reducer === 'join' && present.length < values.length ? null : reducers[reducer](present, separator)
}

function extreme(values: Value[], choose: (a: number, b: number) => number): number | null {
  return values.length === 0 ? null : values.map(requireNumber).reduce((most, value) => choose(most, value))
}

function distinct(values: Value[]): Value[] {
  return [...new Set(values)]
}
