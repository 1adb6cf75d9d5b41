import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import type { Value } from '../../model/source.ts'
import { numberText, valueText } from '../value-text.ts'

/** The colors of values on a map, named as in the style sheet: a ramp of numbers, and kinds. */
export const rampColors = ['--ramp-1', '--ramp-2', '--ramp-3', '--ramp-4', '--ramp-5'] as const
export const categoryColors = ['--kind-1', '--kind-2', '--kind-3', '--kind-4', '--kind-5', '--kind-6'] as const

/** A CSS variable with the color of a shape. */
export type ShapeColor =
  (typeof rampColors)[number] | (typeof categoryColors)[number] | '--accent' | '--place-b' | '--edge'

/**
 * Raster cells or parts of one color. `isValue`: the text is a value of the field, or a range of its values. `range`:
 * the least and the greatest number.
 */
type CellClass = { text: string; color: ShapeColor; isValue: boolean; range?: [from: number, to: number] }

/**
 * Assigns colors: by value to raster cells and to the parts of an area, by role to other shapes. The classes are in
 * order.
 */
export function colorShapes(shapes: DrawnFeature[]): {
  classes: CellClass[]
  colorOf: (shape: DrawnFeature) => ShapeColor
} {
  const valued = shapes.filter(({ properties: { role } }) => hasValue(role))
  const values = valued.map(({ properties }) => properties.value)
  const split = values.every((value) => typeof value === 'number' || value === null || value === undefined)
    ? splitNumbers(valued.flatMap(({ properties: { value, range } }) => numberRangeOf(value, range)))
    : splitWords(values.filter((value) => value !== null && value !== undefined))
  const hasEmpty = values.some((value) => value === null)
  const hasUnknown = values.some((value) => value === undefined)
  return {
    classes: [
      ...split.classes,
      ...(hasEmpty ? [{ text: 'No data', color: '--edge' as const, isValue: false }] : []),
      ...(hasUnknown ? [{ text: 'Raster cells that were read', color: '--accent' as const, isValue: false }] : []),
    ],
    colorOf: ({ properties: { role, value } }) => {
      if (role === 'feature') return '--place-b'
      if (!hasValue(role) || value === undefined) return '--accent'
      return value === null ? '--edge' : split.colorOf(value)
    },
  }
}

/** Cells and the parts of an area have the color of their value. */
function hasValue(role: DrawnFeature['properties']['role']): boolean {
  return role === 'cell' || role === 'part'
}

/** A number on the map: a cell, or the mean and the range of a part. */
type NumberRange = { value: number; from: number; to: number }

function numberRangeOf(value: Value | undefined, range: readonly number[] | undefined): NumberRange[] {
  return typeof value === 'number' ? [{ value, from: range?.[0] ?? value, to: range?.[1] ?? value }] : []
}

type Split = { classes: CellClass[]; colorOf: (value: Value) => ShapeColor }

/** Numbers get a ramp from the smallest to the largest. */
function splitNumbers(numbers: NumberRange[]): Split {
  if (numbers.length === 0) return { classes: [], colorOf: () => '--edge' }
  const [least, most] = [Math.min(...numbers.map(({ from }) => from)), Math.max(...numbers.map(({ to }) => to))]
  const stepOf = (value: number) =>
    most === least
      ? 0
      : Math.min(rampColors.length - 1, Math.floor(((value - least) / (most - least)) * rampColors.length))
  const used = [...new Set(numbers.map(({ value }) => stepOf(value)))].toSorted((a, b) => a - b)
  const classOf = (step: number): CellClass => {
    const inside = numbers.filter(({ value }) => stepOf(value) === step)
    const range: [number, number] = [Math.min(...inside.map((it) => it.from)), Math.max(...inside.map((it) => it.to))]
    const [from, to] = range.map(numberText)
    return { text: from === to ? from! : `${from} to ${to}`, color: rampColors[step]!, isValue: true, range }
  }
  return {
    classes: used.map(classOf),
    colorOf: (value) => rampColors[stepOf(Number(value))]!,
  }
}

function splitWords(values: Exclude<Value, null>[]): Split {
  const words = [...new Set(values)]
  const colorOf = (value: Value): ShapeColor =>
    categoryColors[Math.min(words.indexOf(value as string), categoryColors.length - 1)] ?? '--edge'
  const classes = words.map((value) => ({
    text: valueText({ value, unit: null }),
    color: colorOf(value),
    isValue: true,
  }))
  return { classes, colorOf }
}
