/** One line of a metric. The suffix is appended to the name of the metric. */
type MetricSample = { suffix?: string; labels: Labels; value: number }
/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>

/** A metric with its help text and its current samples. */
export type MetricFamily = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  labelNames: readonly string[]
  samples(): Iterable<MetricSample> | Promise<Iterable<MetricSample>>
}

/** The Content-Type of /metrics. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns metrics in the text exposition format of Prometheus. */
export async function expositionOf(families: Iterable<MetricFamily>): Promise<string> {
  return (await Promise.all([...families].map(textOf))).join('')
}

/** The metrics of one of several processes. */
export type ProcessExposition = { process: string; text: string }

/** Joins the metrics of several processes. Each line gets the label `process`. */
export function mergeExpositions(expositions: readonly ProcessExposition[]): string {
  const families = new Map<string, string[]>()
  for (const { process, text } of expositions)
    for (const family of text.split(/^(?=# HELP )/m)) {
      const [help = '', type = '', ...lines] = family.trimEnd().split('\n')
      const heading = `${help}\n${type}\n`
      const labeled = lines.map(
        (line) => `${line.replace(/^(\w+)(?:\{|(?= ))/, `$1{process="${process}"${line.includes('{') ? ',' : '}'}`)}\n`,
      )
      families.set(heading, [...(families.get(heading) ?? []), ...labeled])
    }
  return [...families].map(([heading, lines]) => heading + lines.join('')).join('')
}

async function textOf({ name, help, type, samples }: MetricFamily): Promise<string> {
  const lines = (await readSamples(samples)).map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}\n`,
  )
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Returns no samples when a gauge cannot be read (database or disk error), because the other metrics matter then. */
async function readSamples(samples: MetricFamily['samples']): Promise<MetricSample[]> {
  try {
    return [...(await samples())]
  } catch {
    return []
  }
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`
}

/** The values of a metric, one per set of label values. */
export type Series<T> = {
  withLabels(...values: string[]): T
  /** All values with their labels. */
  all(): [Labels, T][]
}

/** Sets of label values per metric. Further sets share one series with the value `other` for every label. */
export const seriesMax = 2_000
/** The label value of the shared series. */
export const otherLabel = 'other'

/**
 * Creates an empty series, a tree with one level per label. A lookup by a joined string key takes ten times as long.
 */
export function createSeries<T>(labelNames: readonly string[], create: () => T): Series<T> {
  const root = emptyNode<T>()
  const entries: [Labels, T][] = []
  let overflow: T | null = null
  return {
    withLabels(...values) {
      let node = root
      for (const value of values) node = node.children.get(value) ?? addBranch(node, value)
      return (node.value ??= addSeries(values))
    },
    all: () => entries,
  }

  function addBranch(node: Node<T>, value: string): Node<T> {
    const child = emptyNode<T>()
    if (entries.length < seriesMax) node.children.set(value, child)
    return child
  }

  function addSeries(values: string[]): T {
    if (entries.length < seriesMax) return addEntry(values)
    return (overflow ??= addEntry(labelNames.map(() => otherLabel)))
  }

  function addEntry(values: string[]): T {
    const value = create()
    entries.push([Object.fromEntries(labelNames.map((name, i) => [name, values[i]!])), value])
    return value
  }
}

type Node<T> = { children: Map<string, Node<T>>; value: T | null }

function emptyNode<T>(): Node<T> {
  return { children: new Map(), value: null }
}

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
