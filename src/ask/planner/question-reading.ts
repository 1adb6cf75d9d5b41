import { markExcludedWords } from './exclusions.ts'
import type { EnglishWordCheck } from '../../place/english-words.ts'
import type { TownFinder } from '../../place/town-finder.ts'
import { isPlaceMention } from './named-places.ts'
import { lowercaseMentionsIn, placeMentionsIn, type PlaceMention, type WordSpan } from './place-names.ts'
import type { Correction, SpellingCorrector } from './spelling.ts'
import { parseUnit } from '../answer/units.ts'
import { isContentWord, isPhrasingWord, splitWords, splitWordsKeepingCase } from './words.ts'

/**
 * The words of a question after spelling correction. `excluded` marks the words that it excludes, `aside` those that
 * only say whom or what the answer is for.
 */
export type QuestionReading = {
  words: string[]
  excluded: boolean[]
  aside: boolean[]
  places: PlaceMention[]
  corrections: Correction[]
}

type ReadingDeps = { correct: SpellingCorrector; findTown: TownFinder; isEnglishWord: EnglishWordCheck }

/** Reads a question. Names and capitalized words inside a sentence are not corrected. */
export function readQuestion(question: string, { correct, findTown, isEnglishWord }: ReadingDeps): QuestionReading {
  const places = findPlaces(question, { findTown, isEnglishWord })
  const written = splitWordsKeepingCase(question)
  const original = splitWords(question)
  const words = original.map((word, i) => (isWithin(i, places) || isName(written, i) ? word : correct(word)))
  const corrections = original.flatMap((from, i) => (words[i] === from ? [] : [{ from, to: words[i]! }]))
  return { words, excluded: markExcludedWords(words), aside: markAsides(words), places, corrections }
}

/** Returns the capitalized places, then the towns in lowercase outside of them. The longest name counts. */
function findPlaces(question: string, { findTown, isEnglishWord }: Omit<ReadingDeps, 'correct'>): PlaceMention[] {
  const places = placeMentionsIn(question, isEnglishWord).filter((it) => isPlaceMention(it, findTown))
  for (const mention of lowercaseMentionsIn(question, isEnglishWord))
    if (!places.some(({ from, to }) => mention.from < to && from < mention.to) && isPlaceMention(mention, findTown))
      places.push(mention)
  return places
}

/** Returns the positions of the words that name a topic. */
export function contentWordsOf({ words, excluded, places }: QuestionReading): number[] {
  return words.flatMap((word, i) => (isContentWord(word) && !excluded[i] && !isWithin(i, places) ? [i] : []))
}

/** Returns the positions of the words that a relevant field must cover: no phrasing, numbers or units. */
export function mainWordsOf(reading: QuestionReading): number[] {
  const { words } = reading
  return contentWordsOf(reading).filter(
    (i) =>
      !isPhrasingWord(words[i]!) &&
      !/^\d/.test(words[i]!) &&
      !(parseUnit(words[i]!) !== null && /^\d/.test(words[i - 1] ?? '')),
  )
}

/** Whether a position is inside one of the spans. */
export function isWithin(at: number, spans: readonly WordSpan[]): boolean {
  return spans.some(({ from, to }) => at >= from && at < to)
}

/** Whether a word is a name: capitalized inside a sentence, where most other words are not. */
function isName(written: string[], i: number): boolean {
  const isCapital = (word: string) => /^[A-Z][a-z]/.test(word)
  const capitals = written.filter(isCapital).length
  return i > 0 && isCapital(written[i]!) && !/^[.?!:]$/.test(written[i - 1]!) && capitals * 2 <= written.length
}

/** Marks "for my insurer", "as a buyer" and "I am a farmer", up to the end of the clause. */
function markAsides(words: string[]): boolean[] {
  const aside = words.map(() => false)
  const text = (i: number) => words.slice(i, i + 3).join(' ')
  for (const i of words.keys()) {
    if (!/^(?:for (?:my|our|a|an|his|her|their)\b|as an? |i am an? |i'm an? |we are an? )/.test(`${text(i)} `)) continue
    for (let k = i; k < words.length && !/^[,;.?!:]$/.test(words[k]!); k++) aside[k] = true
  }
  return aside
}
