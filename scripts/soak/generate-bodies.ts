type Schema = Record<string, unknown>
type Random = () => number

const odd: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1e308,
  2 ** 53,
  '',
  ' ',
  '0',
  'NaN',
  '\u0000',
  '\u202e',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '{{7*7}}',
  "' OR 1=1 --",
  '<script>',
  'ﬁ́',
  'x'.repeat(300),
  [],
  {},
  [[]],
  { lat: 39 },
  { toJSON: 1 },
  [null],
  'county',
  'flood_risk',
  '39.7392,-104.9903',
  'fetch_batch',
  'lookup_batch',
  '1437 Bannock St, Denver, CO 80202',
]
const words = [
  'county',
  'elevation',
  'timezone',
  'flood_risk',
  'place_context',
  'fetch_batch',
  'geocode_batch',
  '39.7392,-104.9903',
  '1437 Bannock St, Denver, CO 80202',
  'What county is this?',
  'Denver',
]

/** Returns a body that roughly matches a schema, then damaged in up to three places. */
export function generateBody(schema: Schema, random: Random): unknown {
  let body = sampled(schema, random, 0)
  for (let spoils = Math.floor(random() * 4); spoils > 0; spoils--) body = spoilt(body, random)
  return body
}

/** Returns the body as text, sometimes with a character missing or added. */
export function generateText(body: unknown, random: Random): string {
  const text = JSON.stringify(body) ?? ''
  if (random() > 0.05) return text
  const at = Math.floor(random() * text.length)
  return random() < 0.5
    ? text.slice(0, at)
    : text.slice(0, at) + oneOf(['}', '"', '1e999', '\u0000', '[[[[', ','], random) + text.slice(at)
}

export function oneOf<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)]!
}

function sampled(schema: Schema, random: Random, depth: number): unknown {
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return sampled(oneOf(choices as Schema[], random), random, depth + 1)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return oneOf(schema.enum, random)
  switch (schema.type) {
    case 'object':
      return sampledObject(schema, random, depth)
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () =>
        sampled((schema.items ?? {}) as Schema, random, depth + 1),
      )
    case 'number':
      return oneOf([39.7392, -104.9903, 25.79, -80.13, 0, 95, -200, random() * 360 - 180], random)
    case 'integer':
      return Math.floor(random() * 200) - 10
    case 'boolean':
      return random() < 0.5
    case 'string':
      return oneOf(words, random)
    default:
      return oneOf(odd, random)
  }
}

function sampledObject({ properties = {}, required = [] }: Schema, random: Random, depth: number): unknown {
  const names = Object.entries(properties as Record<string, Schema>).filter(
    ([name]) => (required as string[]).includes(name) || random() < 0.5,
  )
  return Object.fromEntries(names.map(([name, schema]) => [name, sampled(schema, random, depth + 1)]))
}

/** Changes one place: removes it, replaces it, adds to it, or nests it one level deeper. */
function spoilt(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15)
    return random() < 0.3 ? [value] : oneOf(odd, random)
  if (Array.isArray(value)) {
    const list = value as unknown[]
    const at = Math.floor(random() * list.length)
    if (list.length === 0 || random() < 0.2) return [...list, oneOf(odd, random)]
    return random() < 0.2 ? Array.from({ length: 30 }, () => list[at]) : list.with(at, spoilt(list[at], random))
  }
  const entries = Object.entries(value)
  const at = Math.floor(random() * entries.length)
  if (entries.length === 0 || random() < 0.2)
    return Object.fromEntries([...entries, [String(oneOf(odd, random)), oneOf(odd, random)]])
  if (random() < 0.2) return Object.fromEntries(entries.toSpliced(at, 1))
  return Object.fromEntries(entries.with(at, [entries[at]![0], spoilt(entries[at]![1], random)]))
}
