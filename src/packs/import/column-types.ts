import type { Value } from '../../model/source.ts'

/** A column, under what name it lies in the staging table, and the kinds of values that were seen in it. */
export type StagedColumn = { name: string; stagedName: string; seenKinds: number }

const kinds = { integer: 1, real: 2, boolean: 4, text: 8, integerAsText: 16, realAsText: 32 }
/** A number as one writes it: what begins with a zero or a plus, or has more digits than a number holds, is a code. */
const integerText = /^-?(?:0|[1-9]\d{0,14})$/
const realText = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][-+]?\d{1,3})?$/

/** Takes note of a value. `isText`: the file knows no numbers, so that a text may be one. */
export function recordValueKind(column: StagedColumn, value: Value, isText: boolean): void {
  if (typeof value === 'number') column.seenKinds |= Number.isInteger(value) ? kinds.integer : kinds.real
  else if (typeof value === 'boolean') column.seenKinds |= kinds.boolean
  else if (typeof value === 'string') column.seenKinds |= isText ? kindOfText(value) : kinds.text
}

/** The type that holds all values of a column, and the expression that brings each of them into it. */
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
