import type { Static } from '@sinclair/typebox'
import { numberOf, requireAttribute } from '../geo/attribute.ts'
import { recordsWhere } from '../geo/text/sql-condition.ts'
import { UpstreamError, schemaChangedError } from '../model/error.ts'
import { Estimate } from '../model/estimate.ts'
import { isNothingHere } from '../model/document-markers.ts'
import { plainPropertiesOf } from '../model/record.ts'
import type { Properties, Value } from '../model/source.ts'
import { cleanValue, cleaningArgs, knownValue } from './value/clean-value.ts'
import { compileFormula } from './expression.ts'
import { marginRulesSchema, publishedMargin } from './value/margin-of-error.ts'
import { nameSchemaOf, defineOperator, t } from './operator.ts'
import { percentageOf, percentageSchema } from './features/percentage.ts'
import { pickSchema, orderByRules } from './value/pick.ts'
import { reduceValues, reducerSchema } from './value/reduce-values.ts'

/** The number of digits of an area key. */
const keyDigits = { county: 5, tract: 11, 'block group': 12 }

const args = t.Object({
  /** The table, if the document contains several. */
  table: t.Optional(t.String()),
  /** The kind of area of the key. */
  geography: t.Optional(nameSchemaOf(keyDigits)),
  where: t.Optional(t.String()),
  /** A key with rows has one that meets `where`. Without it the codes in the rows have changed: `schema_changed`. */
  has_match: t.Optional(t.Literal(true)),
  pick: t.Optional(pickSchema),
  column: t.Optional(t.String()),
  /** A formula over columns, instead of `column`. */
  expression: t.Optional(t.String()),
  /** A percentage of columns, instead of `column`. */
  percentage: t.Optional(percentageSchema),
  /** From the dataset: how its table publishes margins of error. */
  margins: t.Optional(marginRulesSchema),
  reducer: t.Optional(t.Union([reducerSchema, t.Literal('weighted_mean')])),
  /** Top and bottom of the depth range, for `weighted_mean` over soil horizons. */
  depth_cm: t.Optional(t.Tuple([t.Number(), t.Number()])),
  ...cleaningArgs,
})
type Args = Static<typeof args>

/** Returns a column of the row of the key, or of all its rows reduced to one value. */
export const rowOperator = defineOperator({
  shape: 'document',
  args,
  async run(args, document, { at, key, onRecordsUsed }, budget) {
    if (key !== null) checkKey(key, args.geography)
    const content = await document({ at, ...(key !== null && { key }) }, budget)
    const rows = isNothingHere(content) ? [] : rowsOf(content, args.table)
    const matches = args.where === undefined ? rows : recordsWhere(rows, args.where, (row) => row)
    if (args.has_match && rows.length > 0 && matches.length === 0)
      throw schemaChangedError([`a row where ${args.where}`], Object.keys(rows[0]!))
    const orderedRows = orderByRules(matches, args.pick ?? [], (row) => row)
    onRecordsUsed?.(args.reducer === undefined ? orderedRows.slice(0, 1) : orderedRows)
    return reduceRows(orderedRows, args)
  },
})

/**
 * Returns the rows of a document: a list of records, one record, or a header row and lists (the format of the Census
 * Bureau). `table` selects one of several tables. null and undefined have no rows. /
 */
function rowsOf(document: unknown, table?: string): Properties[] {
  if (document === null || document === undefined) return []
  if (typeof document !== 'object')
    throw new UpstreamError('bad_value', `The source returned ${typeof document}. Expected rows.`)
  if (!Array.isArray(document)) return rowsOfRecord(document, table)
  return document.some(Array.isArray) ? rowsOfTable(document) : document.map(plainPropertiesOf)
}

function rowsOfRecord(document: object, table: string | undefined): Properties[] {
  if (table === undefined || !Object.hasOwn(document, table)) return [plainPropertiesOf(document)]
  return rowsOf((document as Record<string, unknown>)[table])
}

function rowsOfTable([names, ...rows]: unknown[]): Properties[] {
  if (!Array.isArray(names) || names.length === 0 || rows.length === 0)
    throw new UpstreamError('bad_value', 'The source returned a table without a header or without rows.')
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length !== names.length)
      throw new UpstreamError('bad_value', `The source returned a row that does not have ${names.length} columns.`)
    return plainPropertiesOf(Object.fromEntries(names.map((name, i) => [String(name), row[i]])))
  })
}

function checkKey(key: string, geography: Args['geography']) {
  if (geography !== undefined && (key.length !== keyDigits[geography] || !/^\d+$/.test(key))) {
    throw new UpstreamError('bad_value', `Invalid ${geography} key ${key}. Expected ${keyDigits[geography]} digits.`)
  }
}

function reduceRows(rows: Properties[], args: Args): Value | Estimate {
  if (args.reducer === undefined && rows.length === 0) return null
  if (args.percentage) return percentageOf(rows[0]!, args.percentage, args)
  const valueOf = args.expression === undefined ? columnReader(args) : expressionReader(args.expression, args)
  if (args.reducer === undefined) return withMargin(valueOf(rows[0]!), rows[0]!, args)
  if (args.reducer !== 'weighted_mean') return reduceValues(rows.map(valueOf), args.reducer)
  if (args.depth_cm === undefined) throw new Error('The reducer `weighted_mean` requires `depth_cm`.')
  return meanOverDepth(rows, args.depth_cm, valueOf)
}

/** Adds the published margin of error to the value of a column. */
function withMargin(value: Value, row: Properties, { column, margins }: Args): Value | Estimate {
  if (!margins || column === undefined || typeof value !== 'number') return value
  const margin = publishedMargin(row, column, margins)
  return margin ? new Estimate(value, margin) : value
}

function columnReader(args: Args): (row: Properties) => Value {
  const { column } = args
  if (column === undefined)
    throw new Error('The operation has no `column`, `expression` or `percentage`. Set one of them.')
  return (row) => cleanValue(requireAttribute(row, column), args)
}

/** Text that parses as a number is a number in a formula, because tables contain text. */
function expressionReader(expression: string, { sentinels, ...cleaning }: Args): (row: Properties) => Value {
  const formula = compileFormula(expression)
  return (row) => {
    const value = formula((column) => asNumber(knownValue(requireAttribute(row, column), sentinels)))
    return cleanValue(value, cleaning)
  }
}

function asNumber(value: Value): Value {
  return numberOf(value) ?? value
}

/**
 * The mean of the soil horizons (`hzdept_r` to `hzdepb_r`, in cm) within a depth range, weighted by thickness. Ignores
 * horizons without a value.
 */
function meanOverDepth(
  horizons: Properties[],
  [top, bottom]: [number, number],
  valueOf: (horizon: Properties) => Value,
): number | null {
  let [sum, thickness] = [0, 0]
  for (const horizon of horizons) {
    const value = numberOf(valueOf(horizon))
    const from = numberOf(requireAttribute(horizon, 'hzdept_r'))
    const to = numberOf(requireAttribute(horizon, 'hzdepb_r'))
    if (value === null || from === null || to === null) continue
    const weight = Math.max(0, Math.min(to, bottom) - Math.max(from, top))
    sum += weight * value
    thickness += weight
  }
  return thickness === 0 ? null : sum / thickness
}
