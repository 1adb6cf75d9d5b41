import { splitWordsKeepingCase } from './words.ts'

/** The position of a place name in a question; `to` is exclusive. */
export type PlaceNameSpan = { from: number; to: number }

/**
 * Finds place names: capitalized words after a preposition, as in "near Cape Coral, FL". Returns none when most words
 * are capitalized.
 */
export function placeNamesIn(question: string): PlaceNameSpan[] {
  const words = splitWordsKeepingCase(question)
  const longWords = words.filter((word) => word.length > 3)
  if (longWords.filter(isCapital).length * 2 > longWords.length) return []
  const names: PlaceNameSpan[] = []
  for (const [i, word] of words.entries()) {
    if (!placePrepositions.has(word.toLowerCase())) continue
    let to = i + 1
    while (isCapital(words[to] ?? '')) to++
    if (to === i + 1) continue
    const state = words[to] === ',' ? to + 1 : to
    names.push({ from: i + 1, to: isState(words[state] ?? '') ? state + 1 : to })
  }
  return names
}

const placePrepositions = new Set(['in', 'near', 'around', 'outside', 'at', 'of', 'to', 'by', 'from'])

function isCapital(word: string): boolean {
  return /^[A-Z][a-z]/.test(word)
}

function isState(word: string): boolean {
  return /^[A-Z]{2}$/.test(word) || isCapital(word)
}
