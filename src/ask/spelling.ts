import { isTelling } from './words.ts'

/** The word that was meant, where it is known; else the word as it stands. */
export type Spelling = (word: string) => string

const letterMax = 24

/** A corrector towards the words of a vocabulary: one slip in five to seven letters, two in more; the first letter is always right. */
export function openSpelling(vocabulary: Iterable<string>): Spelling {
  const known = new Set(vocabulary)
  const byLetter = Map.groupBy([...known].filter((word) => word.length > 3), (word) => word[0]!)
  return (word) => {
    if (known.has(word) || !isTelling(word) || word.length < 5 || word.length > letterMax || !/^[a-z]+$/.test(word)) return word
    const slips = word.length < 8 ? 1 : 2
    const near = (byLetter.get(word[0]!) ?? []).filter((it) => Math.abs(it.length - word.length) <= slips).map((it) => ({ it, slips: slipsBetween(word, it) }))
    const best = near.filter((candidate) => candidate.slips <= slips).toSorted((a, b) => a.slips - b.slips)[0]
    return best?.it ?? word
  }
}

/** How many letters were put in, left out, changed, or swapped with the next. */
function slipsBetween(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity
      row.push(Math.min(change, above[j]! + 1, row[j - 1]! + 1, swap))
    }
    before = above
    above = row
  }
  return above[b.length]!
}
