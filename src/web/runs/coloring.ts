import { categoryColors, rampColors } from '../map/shape-colors.ts'
import { numberText, valueText } from '../value-text.ts'
import { type ResultColumn, type ResultRow, cellText } from './result.ts'

type ColorVariable = (typeof rampColors)[number] | (typeof categoryColors)[number] | '--edge' | '--bad'

/** Rows of one color: a range of numbers, a word, or no value. */
type ColorClass = { label: string; color: ColorVariable; count: number }

/** The color classes of a column, and the class of each row. */
export type Coloring = { classes: ColorClass[]; classOf: (row: ResultRow) => number }

/** Assigns rows to color classes by a column: numbers to five ranges of equal size, words by frequency. */
export function colorRows(rows: readonly ResultRow[], column: ResultColumn): Coloring {
  const hasValue = (row: ResultRow) => row.ok && (row.cells[column.at] ?? '') !== ''
  const split =
    column.kind === 'number' ? splitByRange(rows.filter(hasValue), column) : splitByWord(rows.filter(hasValue), column)
  const [none, failed] = [split.classes.length, split.classes.length + 1]
  const classOf = (row: ResultRow) =>
    hasValue(row) ? split.classOf(row) : !row.ok || row.failedFields.has(column.name) ? failed : none
  const classes: ColorClass[] = [
    ...split.classes,
    { label: 'No value', color: '--edge', count: 0 },
    { label: 'Failed', color: '--bad', count: 0 },
  ]
  for (const row of rows) classes[classOf(row)]!.count++
  return { classes, classOf }
}

/** Returns the rows in the order in which their dots are drawn: those with values last, above all others. */
export function drawingOrderOf(rows: readonly ResultRow[], { classOf }: Coloring): ResultRow[] {
  return rows.toSorted((a, b) => classOf(b) - classOf(a))
}

type SplitRows = Coloring

function splitByRange(rows: ResultRow[], { at, unit }: ResultColumn): SplitRows {
  const numbers = rows.map(({ cells }) => Number(cells[at])).sort((a, b) => a - b)
  const starts = [
    ...new Set(rampColors.map((_, i) => numbers[Math.floor((i * numbers.length) / rampColors.length)] ?? 0)),
  ]
  if (numbers.length === 0) return { classes: [], classOf: () => 0 }
  const classes = starts.map((start, i) => {
    const inside = numbers.filter((it) => it >= start && (i + 1 === starts.length || it < starts[i + 1]!))
    return {
      label: rangeText(inside[0]!, inside.at(-1)!, unit),
      color: rampColors[Math.round((i * (rampColors.length - 1)) / Math.max(1, starts.length - 1))]!,
      count: 0,
    }
  })
  return { classes, classOf: ({ cells }) => starts.findLastIndex((start) => Number(cells[at]) >= start) }
}

function rangeText(from: number, to: number, unit: string | null): string {
  const end = valueText({ value: to, unit })
  return from === to || numberText(from) === numberText(to) ? end : `${numberText(from)} to ${end}`
}

function splitByWord(rows: ResultRow[], column: ResultColumn): SplitRows {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row.cells[column.at]!, (counts.get(row.cells[column.at]!) ?? 0) + 1)
  const sorted = [...counts].sort(([a, i], [b, k]) => k - i || a.localeCompare(b)).map(([word]) => word)
  const shownWords = sorted.slice(0, categoryColors.length - (sorted.length > categoryColors.length ? 1 : 0))
  const classes: ColorClass[] = shownWords.map((word, i) => ({
    label: cellText(
      rows.find(({ cells }) => cells[column.at] === word)!,
      column,
    ),
    color: categoryColors[i]!,
    count: 0,
  }))
  if (sorted.length > shownWords.length)
    classes.push({
      label: `${numberText(sorted.length - shownWords.length)} others`,
      color: categoryColors[shownWords.length]!,
      count: 0,
    })
  const indexes = new Map(shownWords.map((word, i) => [word, i]))
  return { classes, classOf: ({ cells }) => indexes.get(cells[column.at]!) ?? shownWords.length }
}
