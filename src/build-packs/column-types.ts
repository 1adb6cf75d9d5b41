import type { Value } from '../model/source.ts'

/**
 * A column, its name in the staging table, the kinds of values seen in it (a bit set of `kinds`), and a few of these
 * values, the first of each kind among them.
 */
export type StagedColumn = { name: string; stagedName: string; seenKinds: number; samples: Value[] }

const samplesMax = 20

const kinds = { integer: 1, real: 2, boolean: 4, text: 8, integerAsText: 16, realAsText: 32 }
/** A number in canonical form. A text with a leading zero or plus, or with too many digits for a number, is a code. */
const integerText = /^-?(?:0|[1-9]\d{0,14})$/
const realText = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][-+]?\d{1,3})?$/

/** Records the kind of a value. With `isText`, the file format has only texts, so a text may be a number. */
export function recordValueKind(column: StagedColumn, value: Value, isText: boolean): void {
  const kind = kindOf(value, isText)
  if (kind === 0) return
  if ((column.seenKinds & kind) === 0 || column.samples.length < samplesMax) column.samples.push(value)
  column.seenKinds |= kind
}

function kindOf(value: Value, isText: boolean): number {
  if (typeof value === 'number') return Number.isInteger(value) ? kinds.integer : kinds.real
  if (typeof value === 'boolean') return kinds.boolean
  if (typeof value !== 'string') return 0
  return isText ? kindOfText(value) : kinds.text
}

/** Returns the samples of a column as they are stored in its type. */
export function storedSamplesOf(column: StagedColumn): Value[] {
  const { type } = columnTypeOf(column)
  if (type === 'BOOLEAN') return column.samples
  return column.samples.map((value) => (type === 'TEXT' ? String(value) : Number(value)))
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
