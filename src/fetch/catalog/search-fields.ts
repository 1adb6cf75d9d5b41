import type { Catalog } from '../../catalog/catalog.ts'
import { openFieldSearch } from '../../catalog/field-search.ts'
import type { CatalogSearch } from '../../store/sqlite/catalog-search.ts'
import { suggestionsFor } from './suggest.ts'

/** Returns the names of the fields that match a query, best first. */
export type SearchFields = (catalog: Catalog, query: string, limit: number) => string[]

/**
 * Opens the field search. Matches of names and synonyms come first, then matches of descriptions. The full-text index
 * is built by the first search.
 */
export function openFieldIndex(): { searchFields: SearchFields; close(): void } {
  let index: { catalog: Catalog; search: CatalogSearch } | null = null
  return {
    searchFields(catalog, query, limit) {
      const words = [...new Set(query.toLowerCase().match(/[a-z0-9]+/g) ?? [])]
      return [
        ...new Set([
          ...(catalog.fields.has(query) ? [query] : []),
          ...suggestionsFor(query, catalog),
          ...searchIndexOf(catalog).find(words, limit),
        ]),
      ].slice(0, limit)
    },
    close: () => index?.search.close(),
  }

  function searchIndexOf(catalog: Catalog): CatalogSearch {
    if (index?.catalog === catalog) return index.search
    index?.search.close()
    const search = openFieldSearch(catalog)
    index = { catalog, search }
    return search
  }
}
