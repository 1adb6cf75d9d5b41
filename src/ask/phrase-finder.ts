import { stemOf } from './words.ts'

/** What a phrase of a question stands for, and where it stands. */
export type PhraseMatch<Value> = { from: number; to: number; value: Value }

/** Finds phrases in the words of a question: the longest at each place, none inside another; of two that overlap and are as long, the later. */
export type PhraseFinder<Value> = (words: string[]) => PhraseMatch<Value>[]

/** A finder of phrases, in the singular or plural. A phrase may skip small words: `time zone` is in "time of the zone", not the reverse. */
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

  /** Whether a phrase that begins inside it says more: in "what time zone" it is not "what time". */
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

/** Where the phrase that begins there ends; null when it is not there. */
function phraseEndOf(phrase: string[], stems: string[], from: number): number | null {
  let at = from
  for (const word of phrase) {
    while (at > from && stems[at] !== word && skippableWords.has(stems[at] ?? '')) at++
    if (stems[at] !== word) return null
    at++
  }
  return at
}
