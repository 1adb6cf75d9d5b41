import type { Relevance } from '../planner/plan.ts'
import { rootOf } from '../planner/words.ts'

/**
 * A main word of a question: whether a phrase or a field name matched it, or a phrase that only suggests fields, and
 * whether it is only an aside.
 */
export type MainWord = { word: string; match: 'named' | 'suggested' | null; isAside: boolean }

/** The roots of the words about the fields of the topics, and about the fields that a search added. */
export type FieldRoots = { topics: ReadonlySet<string>; added: ReadonlySet<string> }

/**
 * How well fields cover a question. Relevance is null when they do not answer it. `known` counts the main words that
 * are covered, if only weakly.
 */
export type Coverage = { relevance: Relevance | null; unknownWords: string[]; known: number }

/**
 * Returns how well the chosen fields cover the main words of a question. A word is covered by a phrase, a field name or
 * the texts about the fields of the topics, and only weakly by a suggestion or by fields that a search added. Relevance
 * is null when the words that no field covers outnumber the others, or when there is nothing to cover. `hasPhrase`: a
 * phrase matched, as "where am I" does, which has no main word.
 */
export function coverageOf(mainWords: MainWord[], { topics, added }: FieldRoots, hasPhrase: boolean): Coverage {
  const isCovered = ({ word, match }: MainWord) => match === 'named' || topics.has(rootOf(word))
  const others = mainWords.filter((it) => !isCovered(it) && !it.isAside)
  const unknown = others.filter(({ word, match }) => match === null && !added.has(rootOf(word)))
  const unknownWords = [...new Set(unknown.map(({ word }) => word))]
  const covered = Math.max(mainWords.filter(isCovered).length, hasPhrase ? 1 : 0)
  const known = covered + others.length - unknownWords.length
  if (known === 0 || unknownWords.length > 2 * known) return { relevance: null, unknownWords, known }
  if (others.length === 0) return { relevance: 'high', unknownWords, known }
  const isMostlyCovered = unknownWords.length === 0 && others.length * 2 < covered
  return { relevance: isMostlyCovered ? 'medium' : 'low', unknownWords, known }
}
