import type { ColoredField } from '../../tiles/tile-json.ts'
import { categoryColors } from './shape-colors.ts'

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
