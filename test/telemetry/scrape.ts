/** One line of a scrape. */
export type Line = { name: string; labels: Record<string, string>; value: number }

/** Reads the text of /metrics as strictly as its format is written; throws at the first line that is wrong. Gives the lines and the type of each metric. */
export function scraped(text: string): { lines: Line[]; types: Map<string, string> } {
  const types = new Map<string, string>()
  const lines: Line[] = []
  const seen = new Set<string>()
  let current = ''
  if (!text.endsWith('\n')) throw new Error('The last line is not ended.')
  for (const line of text.slice(0, -1).split('\n')) {
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line)
    if (type) {
      current = type[1]!
      if (types.has(current)) throw new Error(`${current} is told twice.`)
      types.set(current, type[2]!)
    } else if (!/^# HELP [a-z_]+ \S.*$/.test(line)) {
      if (seen.has(line.slice(0, line.lastIndexOf(' ')))) throw new Error(`Told twice: ${line}`)
      seen.add(line.slice(0, line.lastIndexOf(' ')))
      lines.push(lineOf(line, current, types.get(current)!))
    }
  }
  return { lines, types }
}

/** The value of the line with these labels and any others; `undefined` where there is none. */
export function valueOf(lines: Line[], name: string, labels: Record<string, string> = {}): number | undefined {
  return lines.find(
    (line) => line.name === name && Object.entries(labels).every(([key, value]) => line.labels[key] === value),
  )?.value
}

function lineOf(line: string, current: string, type: string): Line {
  const parts = /^([a-z_]+)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|NaN|[-+]Inf)$/.exec(line)
  if (!parts) throw new Error(`This is no line of a metric: ${line}`)
  const [, name, labels = '', value] = parts
  const own = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => current + suffix) : [current]
  if (!own.includes(name!)) throw new Error(`${name} stands below the type of ${current}.`)
  const read = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g)]
  if (read.map(([whole]) => whole).join('') !== labels) throw new Error(`These labels cannot be read: ${labels}`)
  return {
    name: name!,
    labels: Object.fromEntries(
      read.map(([, key, it]) => [
        key!,
        it!.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
      ]),
    ),
    value: Number(value!.replace('Inf', 'Infinity')),
  }
}
