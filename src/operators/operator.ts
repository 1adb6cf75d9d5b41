/**
 * An operator takes one value from a source: an attribute, the nearest feature, a sample, a statistic. `features/`
 * and `raster/` have them by what they read; `value/` cleans and converts values. `operators.ts` lists them.
 */
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Estimate, Margin } from '../model/estimate.ts'
import type { Absent } from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Feature, FeatureQuery, Shape, Sources, Value } from '../model/source.ts'

/**
 * The query of a field: the point, the key of the record to read, the values to compute from, and the current time.
 * `margins`: the margins of error of the values to compute from, for a read that asks for them. `onRecordsUsed`
 * receives the features, rows, scenes or the document that the value is read from, which may state their date.
 */
export type FieldQuery = {
  at: Point
  key: string | null
  inputs: Readonly<Record<string, Value>>
  margins?: Readonly<Record<string, Margin>> | undefined
  onRecordsUsed?: (records: readonly unknown[]) => void
  now: Date
}

/**
 * Derives one value from a source at a point. `null` means no value; `Absent` adds a reason, `Estimate` a margin of
 * error.
 * `shape` is the shape of data that the operator reads. `null`: it reads no source and computes from its inputs.
 * `run` returns a promise only if the source does, or if it sends several queries side by side.
 */
export type Operator<S extends Shape | null, A extends TSchema> = {
  shape: S
  args: A
  /** `run` reads `inputs` also without an expression. */
  readsInputs?: true
  /** Does the same as `run` with one query for local features, which fields share. */
  localRead?: (args: Static<A>) => LocalRead
  run(
    args: Static<A>,
    source: S extends Shape ? Sources[S] : null,
    query: FieldQuery,
    budget: Budget,
  ): MaybePromise<Value | Absent | Estimate>
}

/**
 * A query for local features, and the value of its features. `reads`: the value depends on the attributes of the
 * features alone, or it is the distance of the nearest feature.
 */
export type LocalRead = {
  query: Omit<FeatureQuery, 'at'>
  reads: 'attributes' | 'distance'
  valueOf(features: readonly Feature[], query: Pick<FieldQuery, 'onRecordsUsed'>): Value | Absent
}

/** Defines an operator with inferred argument types. */
export function defineOperator<S extends Shape | null, A extends TSchema>(definition: Operator<S, A>) {
  return definition
}

/** Returns a schema for the keys of a record. */
export function nameSchemaOf<N extends string>(list: Readonly<Record<N, unknown>>) {
  return Type.Unsafe<N>(Type.Union(Object.keys(list).map((name) => Type.Literal(name))))
}

export { Type as t }
