import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'

/** Whether a lowercase word is in the embedded dictionary of common American English. */
export type EnglishWordCheck = (word: string) => boolean

/**
 * Creates the check of words. The dictionary is read on first use and kept as one text: a question has few words, and
 * a set of 60,000 words takes more memory.
 */
export function createEnglishWordCheck({ englishWords }: Pick<EmbeddedData, 'englishWords'>): EnglishWordCheck {
  let words: string | null = null
  return (word) => (words ??= englishWords()).includes(`\n${word}\n`)
}
