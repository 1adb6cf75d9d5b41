import { isContentWord } from './words.ts'

/** The word that was meant, where it is known; else the word as it stands. */
export type SpellingCorrector = (word: string) => string

const wordMax_letters = 24

/** A corrector towards the words of a vocabulary: one slip in five to seven letters, two in more; the first letter is always right. */
export function createSpellingCorrector(vocabulary: Iterable<string>): SpellingCorrector {
  const knownWords = new Set(vocabulary)
  const byFirstLetter = Map.groupBy(
    [...knownWords].filter((word) => word.length > 3),
    (word) => word[0]!,
  )
  return (word) => {
    if (
      knownWords.has(word) ||
      !isContentWord(word) ||
      word.length < 5 ||
      word.length > wordMax_letters ||
      !/^[a-z]+$/.test(word)
    )
      return word
    const typos = word.length < 8 ? 1 : 2
    const candidates = (byFirstLetter.get(word[0]!) ?? [])
      .filter((candidate) => Math.abs(candidate.length - word.length) <= typos)
      .map((candidate) => ({ it: candidate, typos: typosBetween(word, candidate) }))
    const best = candidates.filter((candidate) => candidate.typos <= typos).toSorted((a, b) => a.typos - b.typos)[0]
    return best?.it ?? word
  }
}

/** How many letters were put in, left out, changed, or swapped with the next. */
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
