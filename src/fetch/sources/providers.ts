import type { Catalog } from '../../catalog/catalog.ts'
import type { Dataset, Field, ReadSpec } from '../../catalog/records.ts'
import { readInputsOf } from '../../catalog/read-spec.ts'
import { computedOption } from '../evaluation.ts'

/** The drivers that can answer a field on this server now, and the vintage of the first one. */
export type FieldProviders = { providers: string[]; vintage: string | null }

/** The options of each dataset that count as available. A `SourceRegistry` has those of this server. */
export type ProviderOptions = {
  dataset(id: string): { dataset: Dataset; options: readonly { driver: string; vintage: string | null }[] }
}

/** Returns the names of the fields that have a provider. */
export function answerableFieldsOf({ catalog, registry }: { catalog: Catalog; registry: ProviderOptions }): string[] {
  return [...providersByField(catalog, registry)].flatMap(([name, { providers }]) =>
    providers.length > 0 ? [name] : [],
  )
}

/** Returns the providers of every field, by field name. */
export function providersByField(
  { fields }: Pick<Catalog, 'fields'>,
  registry: ProviderOptions,
): Map<string, FieldProviders> {
  const known = new Map<string, FieldProviders>()
  for (const field of fields.values()) providersOf(field)
  return known

  function providersOf(field: Field): FieldProviders {
    const cached = known.get(field.name)
    if (cached) return cached
    const fieldProviders = providersOfRead(field.read)
    known.set(field.name, fieldProviders)
    return fieldProviders
  }

  function providersOfRead(read: ReadSpec): FieldProviders {
    const { dataset, options } = registry.dataset(read.dataset)
    const ownOptions = isAvailable(read) ? (read.op === 'computed' ? [computedOption] : options) : []
    const alternatives = [
      { providers: ownOptions.map(({ driver }) => driver), vintage: ownOptions[0]?.vintage ?? dataset.vintage ?? null },
      ...(read.fallback ?? []).map(providersOfRead),
    ]
    const first = alternatives.find(({ providers }) => providers.length > 0) ?? alternatives[0]!
    return { providers: [...new Set(alternatives.flatMap(({ providers }) => providers))], vintage: first.vintage }
  }

  /** Whether every input of the read has a provider. */
  function isAvailable(read: ReadSpec): boolean {
    const inputs = readInputsOf(read).filter((input) => input !== 'lat' && input !== 'lng')
    return inputs.every((input) => {
      const { providers } = typeof input === 'string' ? providersOf(fields.get(input)!) : providersOfRead(input)
      return providers.length > 0
    })
  }
}
