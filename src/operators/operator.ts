import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { Absent } from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Shape, Sources, Value } from '../model/source.ts'

/** What an operator is told beside its arguments: the point, the key of the record it reads, the values it computes from, and when it is. */
export type FieldQuery = { at: Point; key: string | null; inputs: Readonly<Record<string, Value>>; now: Date }

/**
 * A way of turning a source and a point into one value; `null` says there is none here, `Absent` says why.
 * `over` is the shape of data it reads; `null` for one that reads no source and computes from its inputs alone.
 */
export type Operator<S extends Shape | null, A extends TSchema> = {
  shape: S
  args: A
  run(
    args: Static<A>,
    source: S extends Shape ? Sources[S] : null,
    query: FieldQuery,
    budget: Budget,
  ): Promise<Value | Absent>
}

/** Writes an operator down: its file holds nothing else but its helpers. */
export function defineOperator<S extends Shape | null, A extends TSchema>(definition: Operator<S, A>) {
  return definition
}

/** The schema of the names in a list, so that no list is written twice. */
export function nameSchemaOf<N extends string>(list: Readonly<Record<N, unknown>>) {
  return Type.Unsafe<N>(Type.Union(Object.keys(list).map((name) => Type.Literal(name))))
}

export { Type as t }
