import type { Family, Labels, Sample } from './family.ts'
import { openSeries } from './series.ts'

/** How often something took how long. */
type Durations = { observe(seconds: number): void }

/** A metric of durations, one set of buckets for each set of labels. */
export type Histogram = Family & { labels: readonly string[]; of(...values: string[]): Durations }

/** From the answer of an embedded layer to the longest fetch, in seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function openHistogram(name: string, help: string, labels: readonly string[]): Histogram {
  const series = openSeries(labels, openDurations)
  return { name, help, type: 'histogram', labels, of: series.of, samples: () => series.all().flatMap(([set, { told }]) => told(set)) }
}

function openDurations(): Durations & { told(labels: Labels): Sample[] } {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(seconds) {
      let i = 0
      while (i < bounds.length && seconds > bounds[i]!) i++
      counts[i]!++
      sum += seconds
    },
    told(labels) {
      let below = 0
      const buckets = [...counts].map((count, i) => ({ suffix: '_bucket', labels: { ...labels, le: i < bounds.length ? String(bounds[i]) : '+Inf' }, value: (below += count) }))
      return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: below }]
    },
  }
}
