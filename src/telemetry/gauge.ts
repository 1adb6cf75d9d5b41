import type { MetricFamily, Labels, MetricSample } from './metric-family.ts'

/** A metric whose values are read at the moment when it is looked at: one value, or one for each set of labels. */
export function createGauge(name: string, help: string, read: () => number | Iterable<[Labels, number]>): MetricFamily {
  return { name, help, type: 'gauge', samples: () => samplesOf(read()) }
}

/** The same of something that is counted elsewhere, and only grows. */
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
