import type { MetricFamily } from './metric-family.ts'
import { createSeries } from './series.ts'

/** A number that only grows. */
export type CounterCell = { value: number }

/** A metric that counts, one cell for each set of labels. */
export type Counter = MetricFamily & { labelNames: readonly string[]; withLabels(...values: string[]): CounterCell }

/** Counting is adding to a cell: what it takes is the look for the cell. */
export function createCounter(name: string, help: string, labelNames: readonly string[]): Counter {
  const series = createSeries<CounterCell>(labelNames, () => ({ value: 0 }))
  return {
    name,
    help,
    type: 'counter',
    labelNames,
    withLabels: series.withLabels,
    samples: () => series.all().map(([set, { value }]) => ({ labels: set, value: value })),
  }
}
