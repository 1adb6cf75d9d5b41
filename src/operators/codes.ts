import type { Static } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { t } from './operator.ts'

/** The schema of a list of codes, or of the name of a code set of the dataset: the catalog puts the set in place of its name. */
export const codesSchema = t.Union([t.String(), t.Array(t.Union([t.String(), t.Number()]))])

/** The codes themselves. A name that is still there is a fault of the catalog. */
export function codesOf(codes: Static<typeof codesSchema>): (string | number)[] {
  if (typeof codes === 'string') throw new Error(`The code set ${codes} has not been put in place of its name.`)
  return codes
}

/** The schema of a table from code to label; a key that ends in `*` stands for the codes that begin with it. `dataset` is the table of the dataset. */
export const classesSchema = t.Union([t.Literal('dataset'), t.Record(t.String(), t.String())])

/** The label of a code. A code that the table does not know is refused: it may not be passed off as a label. */
export function labelOf(code: Value, table: Static<typeof classesSchema>): Value {
  if (code === null) return null
  if (table === 'dataset') throw new Error('The table of labels of the dataset has not been put in place of its name.')
  const text = String(code).trim()
  const key = Object.hasOwn(table, text)
    ? text
    : Object.keys(table).find((key) => key.endsWith('*') && text.startsWith(key.slice(0, -1)))
  if (key !== undefined) return table[key]!
  throw new UpstreamError(
    'bad_value',
    `The code ${text} is not in the table of classes (${Object.keys(table).slice(0, 20).join(', ')}).`,
  )
}
