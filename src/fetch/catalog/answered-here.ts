import type { Catalog } from '../../catalog/catalog.ts'
import type { PresetDetails } from '../../catalog/catalog-document.ts'
import type { SourceState } from '../../catalog/meta-documents.ts'
import type { Dataset } from '../../catalog/records.ts'
import { providersByField, type ProviderOptions } from '../sources/providers.ts'
import type { HttpClient } from '../../net/http-client.ts'
import type { SourceRegistry } from '../sources/source-registry.ts'
import { optionStateOf } from '../sources/source-statuses.ts'

/** The names of the fields that can be answered: by this server now, and by this server without a network. */
export type AnsweredHere = { now: ReadonlySet<string>; offline: ReadonlySet<string> }

type CatalogSources = { catalog: Catalog; registry: Pick<SourceRegistry, 'dataset'> }

/** Returns what this server can answer. All interfaces that say so use this function. */
export function answeredHere({ catalog, registry }: CatalogSources): AnsweredHere {
  return {
    now: answeredFields(catalog, registry),
    offline: answeredFields(catalog, {
      dataset(id) {
        const { dataset, options } = registry.dataset(id)
        return { dataset, options: options.filter(({ remote }) => remote === null) }
      },
    }),
  }
}

/** The fields that only failing sources can answer, and those whose sources were not called since the start. */
export type FieldDoubts = { failing: ReadonlySet<string>; unchecked: ReadonlySet<string> }

/** Returns which of the fields that this server has a source for were not seen to answer. */
export function fieldDoubtsOf({ catalog, registry, net }: CatalogSources & { net: HttpClient | null }): FieldDoubts {
  const answeredBy = (states: readonly SourceState[]) =>
    answeredFields(catalog, {
      dataset(id) {
        const { dataset, options } = registry.dataset(id)
        return { dataset, options: options.filter((option) => states.includes(optionStateOf(option, net))) }
      },
    })
  const working = answeredBy(['ready', 'cold'])
  return {
    failing: answeredFields(catalog, registry).difference(working),
    unchecked: working.difference(answeredBy(['ready'])),
  }
}

/** Returns for each preset how many of its members can be answered now, online without keys, and offline. */
export function presetDetailsOf(catalog: Catalog, { now, offline }: AnsweredHere): Record<string, PresetDetails> {
  const online = answeredFields(catalog, { dataset: (id) => keylessOptionsOf(catalog.datasets.get(id)!) })
  const details = [...catalog.presets].map(([name, { reason, fields }]) => {
    const countIn = (answered: ReadonlySet<string>) => fields.filter((field) => answered.has(field)).length
    const counts = {
      fields: fields.length,
      answered_now: countIn(now),
      answered_online_without_keys: countIn(online),
      answered_offline: countIn(offline),
    }
    return [name, { reason, ...counts }] as const
  })
  return Object.fromEntries(details)
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
