import { stemOf } from './words.ts'

/** The value of a phrase found in a question, and its position. */
export type PhraseMatch<Value> = { from: number; to: number; value: Value }

/**
 * Finds phrases in the words of a question: the longest at each position, none inside another. Of two overlapping
 * phrases of the same length, the later wins.
 */
export type PhraseFinder<Value> = (words: string[]) => PhraseMatch<Value>[]

/**
 * Creates a finder of phrases in singular or plural. Small words between the words of a phrase are skipped: `time of
 * the zone` matches `time zone`.
 */
export function createPhraseFinder<Value>(phrases: Iterable<[phrase: string, value: Value]>): PhraseFinder<Value> {
  const byFirst = new Map<string, { stems: string[]; value: Value }[]>()
  for (const [phrase, value] of phrases) {
    const stems = phrase.split(/[\s-]+/).map(stemOf)
    byFirst.set(stems[0]!, [...(byFirst.get(stems[0]!) ?? []), { stems, value }])
  }
  for (const entries of byFirst.values()) entries.sort((a, b) => b.stems.length - a.stems.length)
  return (words) => {
    const stems = words.map(stemOf)
    const matches: PhraseMatch<Value>[] = []
    for (let i = 0; i < stems.length; i++) {
      const found = firstAt(byFirst.get(stems[i]!) ?? [], stems, i)
      if (!found || isOverruled(found, stems)) continue
      matches.push(found)
      i = found.to - 1
    }
    return matches
  }

  /** Whether a longer phrase starts inside a match: "time zone" overrules "what time" in "what time zone". */
  function isOverruled({ from, to }: PhraseMatch<Value>, stems: string[]): boolean {
    for (let i = from + 1; i < to; i++) {
      const later = firstAt(byFirst.get(stems[i]!) ?? [], stems, i)
      if (later && later.to > to && later.to - i >= to - from) return true
    }
    return false
  }
}

function firstAt<Value>(
  phrases: { stems: string[]; value: Value }[],
  stems: string[],
  from: number,
): PhraseMatch<Value> | null {
  for (const { stems: phrase, value } of phrases) {
    const to = phraseEndOf(phrase, stems, from)
    if (to !== null) return { from, to, value }
  }
  return null
}

const skippableWords = new Set(['a', 'an', 'the', 'of', 'my', 'this', 'any', 'your', 'our'])

/** Returns where the phrase that starts at `from` ends; null when it does not match. */
function phraseEndOf(phrase: string[], stems: string[], from: number): number | null {
  let at = from
  for (const word of phrase) {
    while (at > from && stems[at] !== word && skippableWords.has(stems[at] ?? '')) at++
    if (stems[at] !== word) return null
    at++
  }
  return at
}
