import type { Catalog } from '../catalog/catalog.ts'
import { openFieldSearch } from '../catalog/field-search.ts'
import type { CatalogSearch } from '../store/catalog-search.ts'
import { suggestionsFor } from './suggest.ts'

/** Names of fields that answer to some words, best first. */
export type Find = (catalog: Catalog, query: string, limit: number) => string[]

/** Finds fields by words: by their names and synonyms first, then by what is said of them. The index is made when it is first asked. */
export function openFind(): { find: Find; close(): void } {
  let made: { of: Catalog; search: CatalogSearch } | null = null
  return {
    find(catalog, query, limit) {
      const words = query.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '')
      return [...new Set([...(catalog.fields.has(query) ? [query] : []), ...suggestionsFor(query, catalog), ...searchOf(catalog).find(words, limit)])].slice(0, limit)
    },
    close: () => made?.search.close(),
  }

  function searchOf(catalog: Catalog): CatalogSearch {
    if (made?.of === catalog) return made.search
    made?.search.close()
    const search = openFieldSearch(catalog)
    made = { of: catalog, search }
    return search
  }
}
