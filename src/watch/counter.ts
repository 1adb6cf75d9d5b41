import type { Family } from './family.ts'
import { openSeries } from './series.ts'

/** A number that only grows. */
export type Cell = { n: number }

/** A metric that counts, one cell for each set of labels. */
export type Counter = Family & { labels: readonly string[]; of(...values: string[]): Cell }

/** Counting is adding to a cell: what it takes is the look for the cell. */
export function openCounter(name: string, help: string, labels: readonly string[]): Counter {
  const series = openSeries<Cell>(labels, () => ({ n: 0 }))
  return { name, help, type: 'counter', labels, of: series.of, samples: () => series.all().map(([set, { n }]) => ({ labels: set, value: n })) }
}
