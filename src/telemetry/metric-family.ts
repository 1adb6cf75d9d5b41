/** One line of a metric: what is appended to its name, its labels, and its value. */
export type MetricSample = { suffix?: string; labels: Labels; value: number }
export type Labels = Readonly<Record<string, string>>

/** A metric: a name, what it means, and its lines as they are now. */
export type MetricFamily = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples(): Iterable<MetricSample>
}

/** The type and the encoding of the text. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics as Prometheus reads them. */
export function expositionOf(families: Iterable<MetricFamily>): string {
  return [...families].map(textOf).join('')
}

function textOf({ name, help, type, samples }: MetricFamily): string {
  const lines = readSamples(samples).map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}\n`,
  )
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** What cannot be read just now (the database, the disk) has no line: the others are asked for all the more then. */
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
