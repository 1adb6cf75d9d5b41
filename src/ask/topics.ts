import { stemOf } from './words.ts'

/** What a phrase of a question stands for, and where it stands. */
export type Topic<Meant> = { from: number; to: number; meant: Meant }

/** Finds phrases in the words of a question: the longest at each place, none inside another; of two that overlap and are as long, the later. */
export type Phrases<Meant> = (words: string[]) => Topic<Meant>[]

/** A finder of phrases, in the singular or plural. A phrase may skip small words: `time zone` is in "time of the zone", not the reverse. */
export function openPhrases<Meant>(phrases: Iterable<[phrase: string, meant: Meant]>): Phrases<Meant> {
  const byFirst = new Map<string, { stems: string[]; meant: Meant }[]>()
  for (const [phrase, meant] of phrases) {
    const stems = phrase.split(/[\s-]+/).map(stemOf)
    byFirst.set(stems[0]!, [...(byFirst.get(stems[0]!) ?? []), { stems, meant }])
  }
  for (const starting of byFirst.values()) starting.sort((a, b) => b.stems.length - a.stems.length)
  return (words) => {
    const stems = words.map(stemOf)
    const topics: Topic<Meant>[] = []
    for (let i = 0; i < stems.length; i++) {
      const found = firstAt(byFirst.get(stems[i]!) ?? [], stems, i)
      if (!found || isOutdone(found, stems)) continue
      topics.push(found)
      i = found.to - 1
    }
    return topics
  }

  /** Whether a phrase that begins inside it says more: in "what time zone" it is not "what time". */
  function isOutdone({ from, to }: Topic<Meant>, stems: string[]): boolean {
    for (let i = from + 1; i < to; i++) {
      const later = firstAt(byFirst.get(stems[i]!) ?? [], stems, i)
      if (later && later.to > to && later.to - i >= to - from) return true
    }
    return false
  }
}

function firstAt<Meant>(phrases: { stems: string[]; meant: Meant }[], stems: string[], from: number): Topic<Meant> | null {
  for (const { stems: phrase, meant } of phrases) {
    const to = endOf(phrase, stems, from)
    if (to !== null) return { from, to, meant }
  }
  return null
}

const small = new Set(['a', 'an', 'the', 'of', 'my', 'this', 'any', 'your', 'our'])

/** Where the phrase that begins there ends; null when it is not there. */
function endOf(phrase: string[], stems: string[], from: number): number | null {
  let at = from
  for (const word of phrase) {
    while (at > from && stems[at] !== word && small.has(stems[at] ?? '')) at++
    if (stems[at] !== word) return null
    at++
  }
  return at
}
