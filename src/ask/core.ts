import { stemOf } from './words.ts'

/** The words of a field's name that say what it is of: `nearest_superfund_site_distance_m` is of a superfund site. */
export function coreOf(name: string): string[] {
  const words = name.split('_').filter((word) => !/^\d*(?:m|km|km2|ft|cm|mm|kv|mw|pct|usd|c|g|kg|m2|m3|w|s|ug|nt|cfs|day|kwh|kw|h)$/.test(word))
  return words.filter((word) => !passing.has(word)).map(stemOf)
}

/** The other fields that speak of the same nearest thing: its name goes with its distance. */
export function companionsOf(name: string, has: (name: string) => boolean): string[] {
  const thing = /^(nearest_.+)_(?:name|distance_m)$/.exec(name)?.[1]
  return thing === undefined ? [] : [`${thing}_name`, `${thing}_distance_m`].filter((it) => it !== name && has(it))
}

const passing = new Set(['nearest', 'distance', 'count', 'name', 'is', 'within', 'in', 'has', 'per', 'current', 'class', 'degrees', 'tract', 'or', 'of', 'at', 'the', 'and', 'intersects', 'index', 'code', 'mean', 'total'])
