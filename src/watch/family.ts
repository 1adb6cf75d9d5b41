/** One line of a metric: what is appended to its name, its labels, and its value. */
export type Sample = { suffix?: string; labels: Labels; value: number }
export type Labels = Readonly<Record<string, string>>

/** A metric: a name, what it means, and its lines as they are now. */
export type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram'; samples(): Iterable<Sample> }

/** The type and the encoding of the text. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics as Prometheus reads them. */
export function expositionOf(families: Iterable<Family>): string {
  return [...families].map(textOf).join('')
}

function textOf({ name, help, type, samples }: Family): string {
  const lines = readable(samples).map(({ suffix = '', labels, value }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}\n`)
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** What cannot be read just now (the database, the disk) has no line: the others are asked for all the more then. */
function readable(samples: Family['samples']): Sample[] {
  try {
    return [...samples()]
  } catch {
    return []
  }
}

function labelsOf(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
  return written.length === 0 ? '' : `{${written.join(',')}}`
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`
}
