import { Database } from 'bun:sqlite'

/** A field as it is searched: what is said of it, in words. */
export type SearchableField = { name: string; words: string; description: string; layer: string; synonyms: string }

/** Full-text search over the fields of a catalog, in memory. */
export type CatalogSearch = {
  /** The names of the fields that have any of the words, best first. */
  find(words: string[], limit: number): string[]
  close(): void
}

const wordsMax = 40

/** A hit in a name or synonym outweighs those in the description; the hints of a field name much that it is not about. */
const searchQuery = 'SELECT name FROM fields WHERE fields MATCH ? ORDER BY bm25(fields, 0, 10, 5, 2, 8), rowid LIMIT ?'

/** Makes the index in memory, whole, once. */
export function openCatalogSearch(fields: Iterable<SearchableField>): CatalogSearch {
  const db = new Database(':memory:', { strict: true })
  db.run(
    "CREATE VIRTUAL TABLE fields USING fts5 (name UNINDEXED, words, description, layer, synonyms, tokenize = 'porter unicode61')",
  )
  const insert = db.prepare(
    'INSERT INTO fields (name, words, description, layer, synonyms) VALUES ($name, $words, $description, $layer, $synonyms)',
  )
  db.transaction(() => {
    for (const field of fields) insert.run(field)
  })()
  insert.finalize()
  const search = db.query<{ name: string }, [string, number]>(searchQuery)
  return {
    find: (words, limit) =>
      words.length === 0
        ? []
        : search.all(words.slice(0, wordsMax).map(quoteTerm).join(' OR '), limit).map(({ name }) => name),
    close: () => db.close(),
  }
}

/** As a string of FTS5, in which nothing is an operator. */
function quoteTerm(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}
