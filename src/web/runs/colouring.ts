import { numberText, valueText } from '../parts/value.ts'
import { cellText } from './cell-text.ts'
import type { Column, Row } from './result.ts'

/** The colours of the map, named as in the style sheet. */
const rampColours = ['--ramp-1', '--ramp-2', '--ramp-3', '--ramp-4', '--ramp-5'] as const
const kindColours = ['--kind-1', '--kind-2', '--kind-3', '--kind-4', '--kind-5', '--kind-6'] as const
type Colour = (typeof rampColours)[number] | (typeof kindColours)[number] | '--edge' | '--bad'

/** Rows that have one colour: a span of numbers, a word, or no value. */
type ColourClass = { label: string; colour: Colour; count: number }

/** The classes of a column, and which of them each row is in. */
export type Colouring = { classes: ColourClass[]; of: (row: Row) => number }

/** Colours rows by a column: numbers in five spans with as many rows in each, words by how often they are. */
export function colouringOf(rows: readonly Row[], column: Column): Colouring {
  const has = (row: Row) => row.ok && (row.cells[column.at] ?? '') !== ''
  const parted = column.kind === 'number' ? spansOf(rows.filter(has), column) : wordsOf(rows.filter(has), column)
  const [none, failed] = [parted.classes.length, parted.classes.length + 1]
  const of = (row: Row) => (has(row) ? parted.of(row) : !row.ok || row.failed.has(column.name) ? failed : none)
  const classes: ColourClass[] = [
    ...parted.classes,
    { label: 'No value', colour: '--edge', count: 0 },
    { label: 'Failed', colour: '--bad', count: 0 },
  ]
  for (const row of rows) classes[of(row)]!.count++
  return { classes, of }
}

type Parted = Colouring

function spansOf(rows: Row[], { at, unit }: Column): Parted {
  const numbers = rows.map(({ cells }) => Number(cells[at])).sort((a, b) => a - b)
  const starts = [
    ...new Set(rampColours.map((_, i) => numbers[Math.floor((i * numbers.length) / rampColours.length)] ?? 0)),
  ]
  if (numbers.length === 0) return { classes: [], of: () => 0 }
  const classes = starts.map((start, i) => {
    const inside = numbers.filter((it) => it >= start && (i + 1 === starts.length || it < starts[i + 1]!))
    return {
      label: spanText(inside[0]!, inside.at(-1)!, unit),
      colour: rampColours[Math.round((i * (rampColours.length - 1)) / Math.max(1, starts.length - 1))]!,
      count: 0,
    }
  })
  return { classes, of: ({ cells }) => starts.findLastIndex((start) => Number(cells[at]) >= start) }
}

function spanText(from: number, to: number, unit: string | null): string {
  const end = valueText({ value: to, unit })
  return from === to || numberText(from) === numberText(to) ? end : `${numberText(from)} to ${end}`
}

function wordsOf(rows: Row[], column: Column): Parted {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row.cells[column.at]!, (counts.get(row.cells[column.at]!) ?? 0) + 1)
  const sorted = [...counts].sort(([a, i], [b, k]) => k - i || a.localeCompare(b)).map(([word]) => word)
  const own = sorted.slice(0, kindColours.length - (sorted.length > kindColours.length ? 1 : 0))
  const classes: ColourClass[] = own.map((word, i) => ({
    label: cellText(
      rows.find(({ cells }) => cells[column.at] === word)!,
      column,
    ),
    colour: kindColours[i]!,
    count: 0,
  }))
  if (sorted.length > own.length)
    classes.push({
      label: `${numberText(sorted.length - own.length)} others`,
      colour: kindColours[own.length]!,
      count: 0,
    })
  const places = new Map(own.map((word, i) => [word, i]))
  return { classes, of: ({ cells }) => places.get(cells[column.at]!) ?? own.length }
}
