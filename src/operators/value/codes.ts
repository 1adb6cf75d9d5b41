import type { Static } from '@sinclair/typebox'
import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import { t } from '../operator.ts'

/** A list of codes, or the name of a code set of the dataset. The catalog replaces the name with the codes. */
export const codesSchema = t.Union([t.String(), t.Array(t.Union([t.String(), t.Number()]))])

/** Returns the codes. Throws if the catalog did not replace the name of a code set. */
export function codesOf(codes: Static<typeof codesSchema>): (string | number)[] {
  if (typeof codes === 'string') throw new Error(`The catalog did not resolve the code set ${codes}.`)
  return codes
}

/**
 * A table from code to label. A key that ends with `*` matches all codes with this prefix. `dataset` is the table of
 * the dataset.
 */
export const classesSchema = t.Union([t.Literal('dataset'), t.Record(t.String(), t.String())])

/**
 * Returns the label of a code. Throws `bad_value` for an unknown code: returning the code would present it as a label.
 */
export function labelOf(code: Value, table: Static<typeof classesSchema>): Value {
  if (code === null) return null
  if (table === 'dataset') throw new Error('The catalog did not resolve the classes of the dataset.')
  const text = String(code).trim()
  const key = Object.hasOwn(table, text)
    ? text
    : Object.keys(table).find((key) => key.endsWith('*') && text.startsWith(key.slice(0, -1)))
  if (key !== undefined) return table[key]!
  throw new UpstreamError(
    'bad_value',
    `Unknown code ${JSON.stringify(text)}. Known codes: ${Object.keys(table).slice(0, 20).join(', ')}.`,
  )
}
