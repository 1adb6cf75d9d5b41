import type { Catalog } from '../catalog/catalog.ts'
import { provisionsOf } from '../fetch/providers.ts'
import type { Library } from '../fetch/library.ts'
import type { Place } from '../model/place.ts'

/** The fields that cannot be had at a place, and why: no source on this server, or none that covers the place. */
export function outOfReach({ region }: Place, catalog: Catalog, library: Library): { field: string; reason: string }[] {
  const provisions = provisionsOf(catalog, library)
  return [...catalog.fields.values()].flatMap(({ name, read }) => {
    if (provisions.get(name)!.providers.length === 0) return [{ field: name, reason: 'no source at hand' }]
    const { regions } = catalog.datasets.get(read.dataset)!.coverage
    const isCovered = regions === 'everywhere' || (region !== null && regions.includes(region)) || (read.fallback ?? []).length > 0
    return isCovered ? [] : [{ field: name, reason: 'outside_coverage' }]
  })
}
