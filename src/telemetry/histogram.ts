import type { MetricFamily, Labels, MetricSample } from './metric-family.ts'
import { createSeries } from './series.ts'

/** The durations of one series. */
type Durations = { observe(seconds: number): void }

/** A histogram metric of durations with one set of buckets per set of label values. */
export type Histogram = MetricFamily & { withLabels(...values: string[]): Durations }

/** Upper bounds in seconds, from the answer of an embedded layer to the longest fetch. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Creates a histogram without observations. */
export function createHistogram(name: string, help: string, labelNames: readonly string[]): Histogram {
  const series = createSeries(labelNames, createDurations)
  return {
    name,
    help,
    type: 'histogram',
    labelNames,
    withLabels: series.withLabels,
    samples: () => series.all().flatMap(([labels, { samples }]) => samples(labels)),
  }
}

function createDurations(): Durations & { samples(labels: Labels): MetricSample[] } {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(seconds) {
      let i = 0
      while (i < bounds.length && seconds > bounds[i]!) i++
      counts[i]!++
      sum += seconds
    },
    samples(labels) {
      let cumulative = 0
      const buckets = [...counts].map((count, i) => ({
        suffix: '_bucket',
        labels: { ...labels, le: i < bounds.length ? String(bounds[i]) : '+Inf' },
        value: (cumulative += count),
      }))
      return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: cumulative }]
    },
  }
}
