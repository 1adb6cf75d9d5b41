import type { Catalog } from '../catalog/catalog.ts'
import type { PresetDetails } from '../catalog/catalog-document.ts'
import type { Dataset } from '../catalog/records.ts'
import { providersByField, type ProviderOptions } from './providers.ts'
import type { SourceRegistry } from './source-registry.ts'

/** Returns for each preset how many of its members can be answered now, online without keys, and offline. */
export function presetDetailsOf(catalog: Catalog, registry: SourceRegistry): Record<string, PresetDetails> {
  const now = answeredFields(catalog, registry)
  const online = answeredFields(catalog, { dataset: (id) => keylessOptionsOf(catalog.datasets.get(id)!) })
  const offline = answeredFields(catalog, {
    dataset(id) {
      const { dataset, options } = registry.dataset(id)
      return { dataset, options: options.filter(({ remote }) => remote === null) }
    },
  })
  const details = ([name, { reason, fields }]: [string, { reason: string; fields: string[] }]): [
    string,
    PresetDetails,
  ] => {
    const count = (answered: ReadonlySet<string>) => fields.filter((field) => answered.has(field)).length
    return [
      name,
      {
        reason,
        fields: fields.length,
        answered_now: count(now),
        answered_online_without_keys: count(online),
        answered_offline: count(offline),
      },
    ]
  }
  return Object.fromEntries([...catalog.presets].map(details))
}

function answeredFields(catalog: Catalog, options: ProviderOptions): Set<string> {
  const providers = providersByField(catalog, options)
  return new Set([...providers].filter(([, it]) => it.providers.length > 0).map(([name]) => name))
}

/** Returns the options that need no key, no pack and no server of the operator's own, as Overpass does. */
function keylessOptionsOf(dataset: Dataset): ReturnType<ProviderOptions['dataset']> {
  const isOpen = dataset.needs_key?.required !== true
  const serve = isOpen ? dataset.serve.filter(({ driver }) => !driver.startsWith('pack') && driver !== 'overpass') : []
  return { dataset, options: serve.map(({ driver }) => ({ driver, vintage: null })) }
}
