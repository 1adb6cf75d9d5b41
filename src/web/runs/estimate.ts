import type { SourceStatus, SourcesDocument } from '../../catalog/sources-document.ts'
import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import type { Draft } from './draft.ts'
import type { Selected } from './selected.ts'

/** Calls that a provider bills: at most so many, for what. */
export type Metered = { calls: number; of: string; for: string }

type Ways = { sources: Pick<SourceStatus, 'title' | 'fields' | 'drivers'>[]; geocoders: SourcesDocument['geocoders'] }

/** The billed calls of a run, at most: what is known already is not asked again. */
export function meteredCalls(
  { count, unreadable, addresses, different }: Pick<Draft, 'count' | 'unreadable' | 'addresses' | 'different'>,
  { kind, preset, fields }: Selected,
  { sources, geocoders }: Ways,
  presets: CatalogDocument['presets'],
): Metered[] {
  const names = new Set(kind === 'fetch_batch' ? [...(preset === null ? [] : (presets[preset] ?? [])), ...fields] : [])
  const billed = sources.filter(
    (source) =>
      source.fields.some((name) => names.has(name)) &&
      source.drivers.some(({ available, metered }) => available && metered),
  )
  const ofFields = billed.map(({ title, fields: own }) => ({
    calls: count - unreadable,
    of: title,
    for: own.filter((name) => names.has(name)).join(', '),
  }))
  const billing = geocoders.filter(({ metered }) => metered)
  const ofAddresses =
    addresses === 0 ? [] : billing.map(({ name }) => ({ calls: different, of: name, for: 'finding the addresses' }))
  return [...ofAddresses, ...ofFields].filter(({ calls }) => calls > 0)
}
