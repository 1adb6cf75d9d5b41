import type { MetricFamily, Labels, MetricSample } from './metric-family.ts'

/** One value, or one per set of labels. */
type GaugeValues = number | Iterable<[Labels, number]>

/** Creates a gauge whose values are read at each scrape: one value, or one per set of labels. */
export function createGauge(
  name: string,
  help: string,
  read: () => GaugeValues | Promise<GaugeValues>,
  labelNames: readonly string[] = [],
): MetricFamily {
  return { name, help, type: 'gauge', labelNames, samples: async () => samplesOf(await read()) }
}

/** Creates a counter whose values are counted elsewhere and read at each scrape. */
export function createObservableCounter(name: string, help: string, read: () => GaugeValues): MetricFamily {
  return { ...createGauge(name, help, read), type: 'counter' }
}

function samplesOf(read: GaugeValues): Iterable<MetricSample> {
  return typeof read === 'number'
    ? [{ labels: {}, value: read }]
    : [...read].map(([labels, value]) => ({ labels, value }))
}
