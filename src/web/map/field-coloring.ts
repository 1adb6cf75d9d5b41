import type { ExpressionSpecification } from 'maplibre-gl'
import type { Value } from '../../model/source.ts'
import type { ColoredField } from '../../tiles/tile-json.ts'
import { valueText } from '../value-text.ts'
import { numberClassTexts, attributeNumberOf, rampOf, roundLimits } from './number-classes.ts'
import { type rampColors, categoryColors } from './shape-colors.ts'

/**
 * How a map colors features by a field: the values in view in order with the colors of all values that were, or the
 * limits between classes of numbers. `limits` is null if no number is in view.
 */
export type FieldColoring = { field: ColoredField } & (
  { kind: 'text'; values: string[]; colors: Map<string, ClassColor> } | { kind: 'numbers'; limits: number[] | null }
)

/** A line of a legend: the text of a class and its color. */
type LegendLine = { text: string; color: ClassColor | (typeof rampColors)[number] }

/** Colors features by a field whose values are in view. Returns the coloring before if it is the same. */
export function colorByField(
  field: ColoredField,
  inView: ReadonlySet<string>,
  before: FieldColoring | undefined,
): FieldColoring {
  const old = before?.field === field ? before : undefined
  if (field.numbers) {
    const numbers = [...inView].map((value) => attributeNumberOf(field, value)).filter((it) => it !== null)
    const limits = numbers.length === 0 ? null : roundLimits(numbers)
    const isSame = old?.kind === 'numbers' && old.limits?.join() === limits?.join()
    return isSame ? old : { field, kind: 'numbers', limits }
  }
  const values = sortClasses(field, inView)
  const known = old?.kind === 'text' ? old : undefined
  if (known && known.values.join('\n') === values.join('\n')) return known
  return { field, kind: 'text', values, colors: assignClassColors(known?.colors ?? new Map(), values) }
}

/** Returns the lines of the legend. Texts without a color of their own share a line. */
export function legendLinesOf(coloring: FieldColoring): LegendLine[] {
  const { field } = coloring
  if (coloring.kind === 'numbers') {
    if (coloring.limits === null) return []
    const colors = rampOf(coloring.limits.length + 1)
    const texts = numberClassTexts(coloring.limits, field.numbers?.unit ?? null)
    return [...texts.map((text, i) => ({ text, color: colors[i]! })), { text: 'no value', color: '--edge' }]
  }
  const { values, colors } = coloring
  const colored = values.filter((value) => colors.get(value) !== '--edge')
  const others = values.length - colored.length
  const rest = `${others} other ${others === 1 ? 'value' : 'values'}. Zoom in to see their colors.`
  return [
    ...colored.map((value) => ({ text: classTextOf(field, value), color: colors.get(value)! })),
    ...(others > 0 ? [{ text: rest, color: '--edge' as const }] : []),
  ]
}

/** Returns the text of an attribute of a feature: its number with the unit, or its class in words. */
export function coloredValueText(field: ColoredField, value: Value | undefined): string {
  if (!field.numbers) return value === null || value === undefined ? 'no value' : classTextOf(field, String(value))
  const number = attributeNumberOf(field, value)
  return number === null ? 'no value' : valueText({ value: number, unit: field.numbers.unit })
}

/** Returns the expression that finds the color of a feature; null while no value is in view. */
export function colorExpressionOf(
  coloring: FieldColoring,
  colorOf: (name: string) => string,
): ExpressionSpecification | null {
  const value = ['get', coloring.field.attribute]
  const noValue = colorOf('--edge')
  if (coloring.kind === 'text') {
    const cases = [...coloring.colors].flatMap(([text, color]) => [text, colorOf(color)])
    if (cases.length === 0) return null
    return ['match', ['to-string', value], ...cases, noValue] as unknown as ExpressionSpecification
  }
  if (coloring.limits === null) return null
  const [lowest, ...others] = rampOf(coloring.limits.length + 1).map(colorOf)
  // `to-number` makes 0 of what is missing or blank, and fails for other text without a second argument.
  const number = ['to-number', value, notNumber]
  const steps = coloring.limits.flatMap((limit, i) => [limit, others[i]!])
  const isMissing = ['==', ['to-string', value], '']
  const hasNoValue = ['in', number, ['literal', [notNumber, ...(coloring.field.numbers?.no_value ?? [])]]]
  const ramp = steps.length === 0 ? lowest : ['step', number, lowest, ...steps]
  return ['case', ['any', isMissing, hasNoValue], noValue, ramp] as unknown as ExpressionSpecification
}

const notNumber = -Number.MAX_VALUE

/** A CSS variable with the color of a class. There are fewer colors than classes: `--edge` stands for all others. */
export type ClassColor = (typeof categoryColors)[number] | '--edge'

/**
 * Assigns colors to the values that a map shows, in this order. A value that is still in view keeps its color, and so
 * does one out of view unless its color is needed.
 */
export function assignClassColors(
  before: ReadonlyMap<string, ClassColor>,
  inView: readonly string[],
): Map<string, ClassColor> {
  const next = new Map([...before].filter(([value, color]) => color !== '--edge' && inView.includes(value)))
  const free = categoryColors.filter((color) => ![...next.values()].includes(color))
  for (const value of inView) if (!next.has(value)) next.set(value, free.shift() ?? '--edge')
  for (const [value, color] of before)
    if (!next.has(value) && color !== '--edge' && free.includes(color)) next.set(value, color)
  return next
}

/** Sorts the values of a field as the catalog lists them. Values that it does not list come last, by name. */
export function sortClasses({ classes }: ColoredField, values: Iterable<string>): string[] {
  const order = new Map(classes.map(({ value }, i) => [value, i]))
  const rankOf = (value: string) => order.get(value) ?? classes.length
  return [...values].toSorted((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b, 'en', { numeric: true }))
}

/** Returns what a value of an attribute means in words; the value itself where the catalog has none. */
export function classTextOf({ classes }: ColoredField, value: string): string {
  return classes.find((it) => it.value === value)?.text ?? value
}
