import type { Value } from '../../model/source.ts'
import { requireNumber } from '../../geo/attribute.ts'
import { nameSchemaOf } from '../operator.ts'

/** The reducers. Without values, counts are 0 and the others null. */
const reducers = {
  min: (values: Value[]) => extreme(values, Math.min),
  max: (values: Value[]) => extreme(values, Math.max),
  sum: (values: Value[]) => (values.length === 0 ? null : sumOf(values)),
  mean: (values: Value[]) => (values.length === 0 ? null : sumOf(values) / values.length),
  first: (values: Value[]) => values[0] ?? null,
  count: (values: Value[]) => values.length,
  count_distinct: (values: Value[]) => distinct(values).length,
  join: (values: Value[], separator: string) => (values.length === 0 ? null : values.join(separator)),
  distinct_join: (values: Value[], separator: string) =>
    values.length === 0 ? null : distinct(values).join(separator),
}
type Reducer = keyof typeof reducers

/** The name of a reducer. */
export const reducerSchema = nameSchemaOf(reducers)

/**
 * Reduces values to one and ignores nulls. `join` with a null returns null, because the position of each value matters.
 */
export function reduceValues(values: Value[], reducer: Reducer, separator = ', '): Value {
  const present = values.filter((value) => value !== null)
  return reducer === 'join' && present.length < values.length ? null : reducers[reducer](present, separator)
}

function extreme(values: Value[], choose: (a: number, b: number) => number): number | null {
  return values.length === 0 ? null : values.map(requireNumber).reduce((a, b) => choose(a, b))
}

function sumOf(values: Value[]): number {
  return values.map(requireNumber).reduce((a, b) => a + b, 0)
}

function distinct(values: Value[]): Value[] {
  return [...new Set(values)]
}
