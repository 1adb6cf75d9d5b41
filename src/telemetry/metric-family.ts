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
  samples(): Iterable<MetricSample> | Promise<Iterable<MetricSample>>
}

/** The Content-Type of /metrics. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns metrics in the text exposition format of Prometheus. */
export async function expositionOf(families: Iterable<MetricFamily>): Promise<string> {
  return (await Promise.all([...families].map(textOf))).join('')
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
