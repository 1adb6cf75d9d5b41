import { openCatalogSearch, type CatalogSearch } from '../store/sqlite/catalog-search.ts'
import type { Catalog } from './catalog.ts'

/** Opens a full-text search over the fields of a catalog: names, descriptions, layers and synonyms. */
export function openFieldSearch({ fields, synonyms }: Pick<Catalog, 'fields' | 'synonyms'>): CatalogSearch {
  const phrases = new Map<string, string[]>()
  for (const [phrase, names] of synonyms)
    for (const name of names) phrases.set(name, [...(phrases.get(name) ?? []), phrase])
  return openCatalogSearch(
    [...fields.values()].map(({ name, description, layer }) => ({
      name,
      words: name.replaceAll('_', ' '),
      description,
      layer: layer.replaceAll('_', ' '),
      synonyms: (phrases.get(name) ?? []).join('; '),
    })),
  )
}
