import type { EnglishWordCheck } from '../../place/english-words.ts'
import { isContentWord } from './words.ts'

/** A word of the question and the word it was read as. */
export type Correction = { from: string; to: string }

/** Returns the corrected word, or the word unchanged. */
export type SpellingCorrector = (word: string) => string

const wordMin_letters = 4
const wordMax_letters = 24

/**
 * Creates a corrector for a vocabulary: it corrects one typo in words of four to seven letters and two in longer words.
 * The first letter must be right. A plural is corrected like its singular. Words of an English dictionary are never
 * changed.
 */
export function createSpellingCorrector(
  vocabulary: Iterable<string>,
  isEnglishWord: EnglishWordCheck,
): SpellingCorrector {
  const knownWords = new Set(vocabulary)
  const byFirstLetter = Map.groupBy(
    [...knownWords].filter((word) => word.length >= wordMin_letters),
    (word) => word[0]!,
  )
  return (word) => {
    if (
      knownWords.has(word) ||
      !isContentWord(word) ||
      word.length < wordMin_letters ||
      word.length > wordMax_letters ||
      !/^[a-z]+$/.test(word) ||
      isEnglishWord(word)
    )
      return word
    const known = byFirstLetter.get(word[0]!) ?? []
    const plurals = /[^s]s$/.test(word) ? known.filter((it) => !it.endsWith('s')).map((it) => `${it}s`) : []
    return closestOf([...known, ...plurals], word) ?? word
  }
}

/** Returns the candidate with the fewest typos, and of those the one that keeps most of the letters. */
function closestOf(candidates: string[], word: string): string | null {
  const typosMax = word.length < 8 ? 1 : 2
  const lostLetters = (candidate: string) => [...word].filter((letter) => !candidate.includes(letter)).length
  const best = candidates
    .filter((candidate) => Math.abs(candidate.length - word.length) <= typosMax)
    .map((candidate) => ({ it: candidate, typos: typosBetween(word, candidate) }))
    .filter(({ typos }) => typos <= typosMax)
    .toSorted((a, b) => a.typos - b.typos || lostLetters(a.it) - lostLetters(b.it))[0]
  return best?.it ?? null
}

/** Returns the number of inserted, omitted, changed or swapped letters. */
function typosBetween(a: string, b: string): number {
  let twoRowsAbove: number[] = []
  let rowAbove = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = rowAbove[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? twoRowsAbove[j - 2]! + 1 : Infinity
      row.push(Math.min(change, rowAbove[j]! + 1, row[j - 1]! + 1, swap))
    }
    twoRowsAbove = rowAbove
    rowAbove = row
  }
  return rowAbove[b.length]!
}
