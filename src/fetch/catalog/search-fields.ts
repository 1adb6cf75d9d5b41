import type { Catalog } from '../../catalog/catalog.ts'
import { openFieldSearch } from '../../catalog/field-search.ts'
import type { CatalogSearch } from '../../store/sqlite/catalog-search.ts'
import { editDistance } from '../../model/nearest-name.ts'

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

const suggestionsMax = 5
const comparedMax = 64
const wordsMax = 8
const leastScore = 0.45
const leastWordScore = 0.65
/** Score of a field whose words all occur in a longer name: `county` for `county_name`. */
const wholeNameScore = 0.85

/** Returns the fields most similar to an unknown name, best first, by synonyms, common words and edit distance. */
export function suggestionsFor(unknown: string, { fields, synonyms }: Catalog): string[] {
  const requestedWords = splitWords(unknown.slice(0, comparedMax)).slice(0, wordsMax)
  const bySynonym = [
    ...(synonyms.get(requestedWords.join(' ')) ?? []),
    ...requestedWords.flatMap((word) => synonyms.get(word) ?? []),
  ]
  const scored = [...fields.keys()]
    .map((name) => ({ name, score: similarity(requestedWords, name) }))
    .filter(({ score }) => score >= leastScore)
  scored.sort((a, b) => b.score - a.score)
  const exact = scored.filter(({ score }) => score >= 0.9).map(({ name }) => name)
  return [...new Set([...exact, ...bySynonym, ...scored.map(({ name }) => name)])].slice(0, suggestionsMax)
}

/** Returns 0 to 1: the larger of the similarity by words and the similarity by letters. */
function similarity(requestedWords: string[], name: string): number {
  const words = name.split('_')
  const shared = requestedWords
    .map((requested) => Math.max(...words.map((word) => letterSimilarity(requested, word, leastWordScore))))
    .filter((score) => score >= leastWordScore)
  const common = shared.reduce((sum, score) => sum + score, 0)
  const ofRequested =
    requestedWords.length === 0 ? 0 : common / requestedWords.length - 0.02 * (words.length - shared.length)
  const ofName = wholeNameScore * Math.min(1, common / words.length)
  return Math.max(ofRequested, ofName, letterSimilarity(requestedWords.join('_'), name, leastScore))
}

/** Returns 0 to 1 from the edit distance of two texts; 0 if their lengths alone make it less than `least`. */
function letterSimilarity(a: string, b: string, least: number): number {
  if (a === b) return 1
  const length = Math.max(a.length, b.length, 1)
  return 1 - Math.abs(a.length - b.length) / length < least ? 0 : 1 - editDistance(a, b) / length
}

function splitWords(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}
