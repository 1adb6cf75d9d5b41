/** One line of a metric. The suffix is appended to the name of the metric. */
export type MetricSample = { suffix?: string; labels: Labels; value: number }
/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>

/** A metric with its help text and its current samples. */
export type MetricFamily = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  labelNames: readonly string[]
  samples(): Iterable<MetricSample>
}

/** The Content-Type of /metrics. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns metrics in the text exposition format of Prometheus. */
export function expositionOf(families: Iterable<MetricFamily>): string {
  return [...families].map(textOf).join('')
}

function textOf({ name, help, type, samples }: MetricFamily): string {
  const lines = readSamples(samples).map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}\n`,
  )
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Returns no samples when a gauge cannot be read (database or disk error), because the other metrics matter then. */
function readSamples(samples: MetricFamily['samples']): MetricSample[] {
  try {
    return [...samples()]
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
