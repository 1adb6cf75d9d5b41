import type { Catalog } from '../catalog/catalog.ts'
import { editDistance } from '../model/edit-distance.ts'

const suggestionsMax = 5
const comparedMax = 64
const leastScore = 0.45
const leastWordScore = 0.65
/** What a field is worth all of whose words were said, among others: `county` for `county_name`. */
const wholeNameScore = 0.85

/** The fields a caller may have meant, best first: by synonym, by words in common, by how few letters differ. */
export function suggestionsFor(unknown: string, { fields, synonyms }: Catalog): string[] {
  const requestedWords = splitWords(unknown.slice(0, comparedMax))
  const bySynonym = [
    ...(synonyms.get(requestedWords.join(' ')) ?? []),
    ...requestedWords.flatMap((word) => synonyms.get(word) ?? []),
  ]
  const scored = [...fields.keys()]
    .map((name) => ({ name, score: similarity(requestedWords, name) }))
    .filter(({ score }) => score >= leastScore)
  scored.sort((a, b) => b.score - a.score)
  const exact = scored.filter(({ score }) => score >= 0.9).map(({ name }) => name)
  return [...new Set([...exact, ...bySynonym, ...scored.map(({ name }) => name)])].slice(0, suggestionsMax)
}

/** 0 to 1: the better of the words in common (a word counts by its letters in common) and the letters of the whole. */
function similarity(requestedWords: string[], name: string): number {
  const words = name.split('_')
  const shared = requestedWords
    .map((word) => Math.max(...words.map((it) => letterSimilarity(word, it))))
    .filter((it) => it >= leastWordScore)
  const common = shared.reduce((sum, it) => sum + it, 0)
  const ofRequested =
    requestedWords.length === 0 ? 0 : common / requestedWords.length - 0.02 * (words.length - shared.length)
  const ofName = wholeNameScore * Math.min(1, common / words.length)
  return Math.max(ofRequested, ofName, letterSimilarity(requestedWords.join('_'), name))
}

/** The share of letters that two texts have in common, 0 to 1. */
function letterSimilarity(a: string, b: string): number {
  return a === b ? 1 : 1 - editDistance(a, b) / Math.max(a.length, b.length, 1)
}

function splitWords(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}
