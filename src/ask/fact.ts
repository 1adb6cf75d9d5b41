import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../fetch/fetch-answer.ts'
import type { DataGap } from './ask-answer.ts'

/** A field and its result at the place. Answers are written from facts. */
export type Fact = { field: Field; result: FieldResult }

/** Returns the facts of a fetch in its order. */
export function factsOf(results: FetchAnswer['fields'], { fields }: Catalog): Fact[] {
  return Object.entries(results).map(([name, result]) => ({ field: fields.get(name)!, result }))
}

/** Returns the fields without a value. */
export function gapsOf(facts: Fact[]): DataGap[] {
  return facts.flatMap(({ field, result }) => {
    if (result.status === 'ok') return []
    return [
      { field: field.name, reason: result.status === 'absent' ? result.absent_reason : result.error.split(':')[0]! },
    ]
  })
}
