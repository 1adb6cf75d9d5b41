import type { Value } from '../../model/source.ts'

/** A column, its name in the staging table, and the kinds of values seen in it (a bit set of `kinds`). */
export type StagedColumn = { name: string; stagedName: string; seenKinds: number }

const kinds = { integer: 1, real: 2, boolean: 4, text: 8, integerAsText: 16, realAsText: 32 }
/** A number in canonical form. A text with a leading zero or plus, or with too many digits for a number, is a code. */
const integerText = /^-?(?:0|[1-9]\d{0,14})$/
const realText = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][-+]?\d{1,3})?$/

/** Records the kind of a value. With `isText`, the file format has only texts, so a text may be a number. */
export function recordValueKind(column: StagedColumn, value: Value, isText: boolean): void {
  if (typeof value === 'number') column.seenKinds |= Number.isInteger(value) ? kinds.integer : kinds.real
  else if (typeof value === 'boolean') column.seenKinds |= kinds.boolean
  else if (typeof value === 'string') column.seenKinds |= isText ? kindOfText(value) : kinds.text
}

/** The SQL type that fits all values of a column, and the expression that converts a value to it. */
export function columnTypeOf({ stagedName: column, seenKinds }: StagedColumn): { type: string; expression: string } {
  if (seenKinds === kinds.boolean) return { type: 'BOOLEAN', expression: column }
  if (seenKinds !== 0 && (seenKinds & ~(kinds.integer | kinds.integerAsText)) === 0)
    return { type: 'INTEGER', expression: `CAST(${column} AS INTEGER)` }
  if (seenKinds !== 0 && (seenKinds & ~(kinds.integer | kinds.integerAsText | kinds.real | kinds.realAsText)) === 0)
    return { type: 'REAL', expression: `CAST(${column} AS REAL)` }
  return {
    type: 'TEXT',
    expression: `CASE typeof(${column}) WHEN 'real' THEN printf('%!.15g', ${column}) ELSE CAST(${column} AS TEXT) END`,
  }
}

function kindOfText(text: string): number {
  if (integerText.test(text)) return kinds.integerAsText
  return realText.test(text) ? kinds.realAsText : kinds.text
}
