/** One sample of /metrics. */
export type MetricLine = { name: string; labels: Record<string, string>; value: number }

/** Parses /metrics strictly and returns its samples and the type of each metric. Throws at the first invalid line. */
export function parseExposition(text: string): { lines: MetricLine[]; types: Map<string, string> } {
  const types = new Map<string, string>()
  const lines: MetricLine[] = []
  const seen = new Set<string>()
  let current = ''
  if (!text.endsWith('\n')) throw new Error('The last line does not end with a line break.')
  for (const line of text.slice(0, -1).split('\n')) {
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line)
    if (type) {
      current = type[1]!
      if (types.has(current)) throw new Error(`Duplicate metric ${current}.`)
      types.set(current, type[2]!)
    } else if (!/^# HELP [a-z_]+ \S.*$/.test(line)) {
      if (seen.has(line.slice(0, line.lastIndexOf(' ')))) throw new Error(`Duplicate line: ${line}`)
      seen.add(line.slice(0, line.lastIndexOf(' ')))
      lines.push(lineOf(line, current, types.get(current)!))
    }
  }
  return { lines, types }
}

/** Returns the value of the first line that has these labels; undefined without one. */
export function metricValueOf(
  lines: MetricLine[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  return lines.find(
    (line) => line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value),
  )?.value
}

function lineOf(line: string, current: string, type: string): MetricLine {
  const parts = /^([a-z_]+)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|NaN|[-+]Inf)$/.exec(line)
  if (!parts) throw new Error(`Not a metric line: ${line}`)
  const [, name, labels = '', value] = parts
  const expectedNames =
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => current + suffix) : [current]
  if (!expectedNames.includes(name!)) throw new Error(`${name} follows the type of ${current}.`)
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g)]
  if (pairs.map(([whole]) => whole).join('') !== labels) throw new Error(`Malformed labels: ${labels}`)
  return {
    name: name!,
    labels: Object.fromEntries(
      pairs.map(([, key, text]) => [
        key!,
        text!.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
      ]),
    ),
    value: Number(value!.replace('Inf', 'Infinity')),
  }
}
