import { streetNameKeyOf } from './street.ts'

/**
 * A key that is equal for all spellings of a town: `St. Albans`, `Saint Albans`; `Ft Collins`, `Fort Collins`; `Town of
 * Rockingham`. Takes words in capitals.
 */
export function townKeyOf(words: readonly string[]): string {
  const nameWords =
    words.length > 2 && words[1] === 'OF' && /^(?:CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/.test(words[0]!)
      ? words.slice(2)
      : words
  return streetNameKeyOf(nameWords)
}
