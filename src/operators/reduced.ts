import type { Value } from '../model/source.ts'
import { numeric } from './numeric.ts'
import { nameIn } from './operator.ts'

/** How several values become one; of none there is no minimum and no list, but a count of 0. */
const reducers = {
  min: (values: Value[]) => extreme(values, Math.min),
  max: (values: Value[]) => extreme(values, Math.max),
  count: (values: Value[]) => values.length,
  count_distinct: (values: Value[]) => distinct(values).length,
  join: (values: Value[], separator: string) => (values.length === 0 ? null : values.join(separator)),
  distinct_join: (values: Value[], separator: string) => (values.length === 0 ? null : distinct(values).join(separator)),
}
type Reducer = keyof typeof reducers

/** The schema of the names of reducers. */
export const reducer = nameIn(reducers)

/** One value out of many. Those that are null are left out, but a `join` with a gap is null: what stands in it, stands in its place. */
export function reduced(values: Value[], by: Reducer, separator = ', '): Value {
  const present = values.filter((value) => value !== null)
  return by === 'join' && present.length < values.length ? null : reducers[by](present, separator)
}

function extreme(values: Value[], of: (a: number, b: number) => number): number | null {
  return values.length === 0 ? null : values.map(numeric).reduce((most, value) => of(most, value))
}

function distinct(values: Value[]): Value[] {
  return [...new Set(values)]
}
