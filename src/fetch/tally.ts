import type { FetchAnswer } from './fetch.ts'
import type { Library } from './library.ts'

/** What an answer took of one source: so many fields, and the calls among them that are billed. */
export type Taken = { source: string; fields: number; metered_calls: number }

/** The geocoder that is billed by the address. */
const billedGeocoder = 'geocodio'

/** What an answer took, source by source. A billed source that was asked anew counts one call, however many fields share it. */
export function takenBy({ fields, geocode }: FetchAnswer, library: Library): Taken[] {
  const taken = new Map<string, Taken>()
  for (const name in fields) {
    const { source, cache } = fields[name]!
    let it = taken.get(source)
    if (!it) taken.set(source, it = { source, fields: 0, metered_calls: 0 })
    it.fields++
    if (cache === 'miss' && it.metered_calls === 0 && meteredIn(library).has(source)) it.metered_calls = 1
  }
  if (geocode) taken.set(geocode.provider, { source: geocode.provider, fields: 0, metered_calls: billedCalls(geocode) })
  return [...taken.values()]
}

/** Whether geocoding cost a call that is billed. */
export function billedCalls({ provider, cached }: { provider: string; cached: boolean }): number {
  return provider === billedGeocoder && !cached ? 1 : 0
}

const known = new WeakMap<Library, ReadonlySet<string>>()

function meteredIn(library: Library): ReadonlySet<string> {
  const found = known.get(library)
  if (found) return found
  const metered = new Set([...library.shelves()].filter(({ ways }) => ways.some(({ remote }) => remote?.metered)).map(({ dataset }) => dataset.service))
  known.set(library, metered)
  return metered
}
