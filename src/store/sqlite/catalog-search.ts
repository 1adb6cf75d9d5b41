import { Database } from 'bun:sqlite'

/** The searchable text of a field. */
export type SearchableField = { name: string; words: string; description: string; layer: string; synonyms: string }

/** An in-memory full-text index over the fields of a catalog. */
export type CatalogSearch = {
  /** Returns the names of the fields that contain any of the words, best match first. */
  find(words: string[], limit: number): string[]
  close(): void
}

const wordsMax = 40

/** Names and synonyms weigh more than descriptions, because a description also mentions unrelated topics. */
const searchQuery = 'SELECT name FROM fields WHERE fields MATCH ? ORDER BY bm25(fields, 0, 10, 5, 2, 8), rowid LIMIT ?'

/** Builds the index in memory. */
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

/** Quotes a term for FTS5, so that it contains no operators. */
function quoteTerm(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}
