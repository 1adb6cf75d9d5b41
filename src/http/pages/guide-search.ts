import type { GuidePage } from '../../web/guide/pages.ts'

/** A section of the guide that matches a search. `excerpt` alternates plain and matching text, plain first. */
export type GuideHit = { page: string; title: string; anchor: string; heading: string; excerpt: string[] }

type Searchable = { text: string; lower: string }
type Section = { page: string; anchor: string; title: Searchable; heading: Searchable; blocks: Searchable[] }

const queryMax_characters = 200
const wordsMax = 8
const hitsMax = 20
const excerptLength_characters = 220
const excerptLead_characters = 60
const titleScore = 8
const headingScore = 5
const blocksScoreMax = 3

/**
 * Returns a search over the headings and texts of the guide. It finds words by their beginning. Sections with all words
 * come first; without any such section, those with at least one word are returned.
 */
export function createGuideSearch(pages: readonly GuidePage[]): (query: string) => GuideHit[] {
  const sections = pages.flatMap(sectionsOf)
  return (query) => {
    const words = wordsOf(query)
    if (words.length === 0) return []
    const scored = sections
      .map((section) => ({ section, ...scoreOf(section, words) }))
      .filter(({ matched }) => matched > 0)
    const complete = scored.filter(({ matched }) => matched === words.length)
    return (complete.length > 0 ? complete : scored)
      .sort((a, b) => b.matched - a.matched || b.score - a.score)
      .slice(0, hitsMax)
      .map(({ section }) => hitOf(section, words))
  }
}

function sectionsOf({ name, title, headings, blocks }: GuidePage): Section[] {
  return headings.map(({ id, text }, i) => ({
    page: name,
    anchor: id,
    title: searchable(title),
    heading: searchable(text),
    blocks: blocks.filter(({ heading }) => heading === i).map((block) => searchable(block.text)),
  }))
}

function searchable(text: string): Searchable {
  return { text, lower: text.toLowerCase() }
}

function wordsOf(query: string): string[] {
  const words =
    query
      .slice(0, queryMax_characters)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  return [...new Set(words.map(withoutPlural))].slice(0, wordsMax)
}

/** Words match by their beginning, so the singular finds both forms. */
function withoutPlural(word: string): string {
  return word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word
}

function scoreOf({ title, heading, blocks }: Section, words: string[]): { matched: number; score: number } {
  let [matched, score] = [0, 0]
  for (const word of words) {
    const wordScore =
      (indexOfWord(title.lower, word) < 0 ? 0 : titleScore) +
      (indexOfWord(heading.lower, word) < 0 ? 0 : headingScore) +
      Math.min(blocksScoreMax, blocks.filter(({ lower }) => indexOfWord(lower, word) >= 0).length)
    if (wordScore > 0) matched++
    score += wordScore
  }
  return { matched, score }
}

/** The position of the first word that begins with `word`, or -1. */
function indexOfWord(lower: string, word: string, from = 0): number {
  for (let at = lower.indexOf(word, from); at >= 0; at = lower.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1]!)) return at
  return -1
}

function hitOf({ page, anchor, title, heading, blocks }: Section, words: string[]): GuideHit {
  const countIn = ({ lower }: Searchable) => words.filter((word) => indexOfWord(lower, word) >= 0).length
  const [best] = blocks.toSorted((a, b) => countIn(b) - countIn(a))
  return {
    page,
    title: title.text,
    anchor,
    heading: heading.text,
    excerpt: best ? excerptOf(best, words) : [],
  }
}

/** Cuts the text around its first match and splits it at the matches. */
function excerptOf({ text, lower }: Searchable, words: string[]): string[] {
  const positions = words.map((word) => indexOfWord(lower, word)).filter((at) => at >= 0)
  const begin = Math.max(0, Math.min(...positions, lower.length) - excerptLead_characters)
  const from = begin === 0 || positions.length === 0 ? 0 : lower.indexOf(' ', begin) + 1
  const excerpt = text.slice(from, from + excerptLength_characters)
  const parts: string[] = []
  let done = 0
  for (const [at, length] of matchesIn(excerpt.toLowerCase(), words)) {
    if (at < done) continue
    parts.push(excerpt.slice(done, at), excerpt.slice(at, at + length))
    done = at + length
  }
  parts.push(excerpt.slice(done) + (from + excerptLength_characters < text.length ? '…' : ''))
  if (from > 0) parts[0] = `…${parts[0]}`
  return parts
}

function matchesIn(lower: string, words: string[]): [number, number][] {
  const matches: [number, number][] = []
  for (const word of words)
    for (let at = indexOfWord(lower, word); at >= 0; at = indexOfWord(lower, word, at + 1))
      matches.push([at, word.length])
  return matches.sort(([a], [b]) => a - b)
}
