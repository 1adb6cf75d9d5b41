import { stemOf } from './words.ts'

/** Returns the words that name the subject of a field: superfund and site for `nearest_superfund_site_distance_m`. */
export function keywordsOf(name: string): string[] {
  const words = name
    .split('_')
    .filter((word) => !/^\d*(?:m|km|km2|ft|cm|mm|kv|mw|pct|usd|c|g|kg|m2|m3|w|s|ug|nt|cfs|day|kwh|kw|h)$/.test(word))
  return words.filter((word) => !ignoredWords.has(word)).map(stemOf)
}

/** Returns the other fields of the same nearest feature: its name goes with its distance. */
export function companionFieldsOf(name: string, has: (name: string) => boolean): string[] {
  const subject = /^(nearest_.+)_(?:name|distance_m)$/.exec(name)?.[1]
  return subject === undefined
    ? []
    : [`${subject}_name`, `${subject}_distance_m`].filter((it) => it !== name && has(it))
}

const ignoredWords = new Set(
  'nearest distance count name is within in has per current class degrees tract or of at the and intersects index code mean total'.split(
    ' ',
  ),
)
