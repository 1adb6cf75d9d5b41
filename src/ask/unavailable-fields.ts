import type { Catalog } from '../catalog/catalog.ts'
import { providersByField } from '../fetch/providers.ts'
import type { SourceRegistry } from '../fetch/source-registry.ts'
import type { Place } from '../model/place.ts'

/** Returns the fields that are unavailable at a place: no source on this server, or none that covers the place. */
export function unavailableFieldsAt(
  { region }: Place,
  catalog: Catalog,
  library: SourceRegistry,
): { field: string; reason: string }[] {
  const provisions = providersByField(catalog, library)
  return [...catalog.fields.values()].flatMap(({ name, read }) => {
    if (provisions.get(name)!.providers.length === 0) return [{ field: name, reason: 'no source at hand' }]
    const { regions } = catalog.datasets.get(read.dataset)!.coverage
    const isCovered =
      regions === 'everywhere' || (region !== null && regions.includes(region)) || (read.fallback ?? []).length > 0
    return isCovered ? [] : [{ field: name, reason: 'outside_coverage' }]
  })
}
