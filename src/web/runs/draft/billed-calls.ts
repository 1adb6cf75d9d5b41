import type { SourceStatus, SourcesDocument } from '../../../catalog/meta-documents.ts'
import type { CatalogDocument } from '../../../catalog/catalog-document.ts'
import type { Draft } from './draft.ts'
import type { RunSelection } from '../run-selection.ts'

/** The highest number of billed calls to a provider, and their purpose. */
export type BilledCalls = { calls: number; provider: string; purpose: string }

type SourceOptions = {
  sources: Pick<SourceStatus, 'title' | 'fields' | 'drivers'>[]
  geocoders: SourcesDocument['geocoders']
}

/** Estimates the highest number of billed calls of a run. Cached answers are not billed again. */
export function estimateBilledCalls(
  {
    count,
    unreadable,
    outside,
    addresses,
    distinctAddresses,
  }: Pick<Draft, 'count' | 'unreadable' | 'outside' | 'addresses' | 'distinctAddresses'>,
  { kind, preset, fields }: RunSelection,
  { sources, geocoders }: SourceOptions,
  presets: CatalogDocument['presets'],
): BilledCalls[] {
  const fieldNames = new Set(
    kind === 'fetch_batch' ? [...(preset === null ? [] : (presets[preset] ?? [])), ...fields] : [],
  )
  const billedSources = sources.filter(
    (source) =>
      source.fields.some((name) => fieldNames.has(name)) &&
      source.drivers.some(({ available, metered }) => available && metered),
  )
  const fieldCalls = billedSources.map(({ title, fields: sourceFields }) => ({
    calls: count - unreadable - outside,
    provider: title,
    purpose: sourceFields.filter((name) => fieldNames.has(name)).join(', '),
  }))
  const billedGeocoders = geocoders.filter(({ metered }) => metered)
  const geocodingCalls =
    addresses === 0
      ? []
      : billedGeocoders.map(({ name }) => ({
          calls: distinctAddresses,
          provider: name,
          purpose: 'geocoding addresses',
        }))
  return [...geocodingCalls, ...fieldCalls].filter(({ calls }) => calls > 0)
}
