import type { Value } from '../../model/source.ts'
import type { ColoredField } from '../../tiles/tile-json.ts'
import { numberText, valueText } from '../value-text.ts'
import { rampColors } from './shape-colors.ts'

/** Returns the number that an attribute has, or null if it has no value. */
export function attributeNumberOf({ numbers }: ColoredField, value: Value | undefined): number | null {
  const text = String(value ?? '').trim()
  const number = text === '' ? NaN : Number(text)
  return Number.isFinite(number) && !numbers?.no_value.includes(number) ? number : null
}

/**
 * Returns the limits between classes of numbers, from low to high. There are at most five classes of about the same
 * size. The limits have as few digits as keep them apart. No class is empty.
 */
export function roundLimits(numbers: readonly number[]): number[] {
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b)
  const count = Math.min(rampColors.length, sorted.length)
  const exact = Array.from({ length: Math.max(0, count - 1) }, (_, i) => ((i + 1) * sorted.length) / count)
  const starts = exact.map((position) => sorted[Math.floor(position)]!)
  for (let digits = 1; digits < digitsMax; digits++) {
    const limits = starts.map((start) => Number(start.toPrecision(digits)))
    if (separates(limits, sorted)) return limits
  }
  return starts
}

/** From here on, the values themselves are the limits. */
const digitsMax = 7

/** Whether each class that the limits make has a number. */
function separates(limits: readonly number[], sorted: readonly number[]): boolean {
  const classes = new Set(sorted.map((number) => numberClassOf(limits, number)))
  return classes.size === limits.length + 1
}

/** Returns the index of the class of a number. A limit belongs to the class above it. */
export function numberClassOf(limits: readonly number[], number: number): number {
  return limits.findLastIndex((limit) => number >= limit) + 1
}

/** Returns the color of each class: the whole ramp, also where there are fewer classes than colors. */
export function rampOf(classes: number): (typeof rampColors)[number][] {
  const last = Math.max(1, classes - 1)
  return Array.from({ length: classes }, (_, i) => rampColors[Math.round((i * (rampColors.length - 1)) / last)]!)
}

/** Returns the texts of the classes, with the limits and the unit. */
export function numberClassTexts(limits: readonly number[], unit: string | null): string[] {
  const textOf = (value: number) => valueText({ value, unit })
  const [first, last] = [limits[0], limits.at(-1)]
  if (first === undefined || last === undefined) return ['all values']
  const between = limits.slice(1).map((end, i) => betweenText(limits[i]!, end, unit))
  return unit === 'year'
    ? [`before ${first}`, ...between, `${last} or later`]
    : [`less than ${textOf(first)}`, ...between, `${textOf(last)} or more`]
}

function betweenText(start: number, end: number, unit: string | null): string {
  if (unit !== 'year') return `${numberText(start)} to less than ${valueText({ value: end, unit })}`
  return end - start === 1 ? String(start) : `${start} to ${end - 1}`
}
