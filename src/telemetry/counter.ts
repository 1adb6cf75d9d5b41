import type { MetricFamily } from './metric-family.ts'
import { createSeries } from './series.ts'

/** The value of one series. It never decreases. */
export type CounterCell = { value: number }

/** A counter metric with one cell per set of label values. */
export type Counter = MetricFamily & { withLabels(...values: string[]): CounterCell }

/** Creates a counter. Callers add to the cell that `withLabels` returns. */
export function createCounter(name: string, help: string, labelNames: readonly string[]): Counter {
  const series = createSeries<CounterCell>(labelNames, () => ({ value: 0 }))
  return {
    name,
    help,
    type: 'counter',
    labelNames,
    withLabels: series.withLabels,
    samples: () => series.all().map(([labels, { value }]) => ({ labels, value })),
  }
}
