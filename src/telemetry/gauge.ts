import type { MetricFamily, Labels, MetricSample } from './metric-family.ts'

/** Creates a gauge whose values are read at each scrape: one value, or one per set of labels. */
export function createGauge(
  name: string,
  help: string,
  read: () => number | Iterable<[Labels, number]>,
  labelNames: readonly string[] = [],
): MetricFamily {
  return { name, help, type: 'gauge', labelNames, samples: () => samplesOf(read()) }
}

/** Creates a counter whose values are counted elsewhere and read at each scrape. */
export function createObservableCounter(
  name: string,
  help: string,
  read: () => number | Iterable<[Labels, number]>,
): MetricFamily {
  return { ...createGauge(name, help, read), type: 'counter' }
}

function samplesOf(read: number | Iterable<[Labels, number]>): Iterable<MetricSample> {
  return typeof read === 'number'
    ? [{ labels: {}, value: read }]
    : [...read].map(([labels, value]) => ({ labels, value }))
}
