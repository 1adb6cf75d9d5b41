import type { Coverage } from '../answer/coverage.ts'
import type { WordSpan } from './place-names.ts'
import { isWithin } from './question-reading.ts'
import { rootOf, stemOf } from './words.ts'

/** The word, and whether a phrase about other fields than those of the noun matched it. */
type Qualifier = { word: string; isOther: boolean }

/**
 * Returns the adjectives directly before a noun that the fields of the noun say nothing about, as in "a friendly
 * airport". `nouns`: the phrases that name a subject, with the roots of all words about its fields.
 */
export function unansweredQualifiers(
  words: readonly string[],
  nouns: readonly (WordSpan & { roots: ReadonlySet<string> })[],
  topics: readonly WordSpan[],
): Qualifier[] {
  return nouns.flatMap(({ from, roots }) => {
    const before = words[from - 1]
    if (before === undefined) return []
    const measures = measuresOf.get(before)
    const isTopic = isWithin(from - 1, topics)
    const isQualifier = measures !== undefined || isTopic || /.{3}ly$/.test(before)
    const isAnswered = [before, ...(measures ?? [])].some((it) => roots.has(rootOf(it)) || roots.has(stemOf(it)))
    return isQualifier && !isAnswered ? [{ word: before, isOther: isTopic }] : []
  })
}

/** Without an answer to a qualifier of the question, the fields answer only a part of it. */
export function withQualifiers(coverage: Coverage, qualifiers: readonly Qualifier[]): Coverage {
  if (qualifiers.length === 0) return coverage
  const words = qualifiers.filter(({ isOther }) => !isOther).map(({ word }) => word)
  return {
    ...coverage,
    relevance: coverage.relevance === 'high' ? 'medium' : coverage.relevance,
    unknownWords: [...new Set([...coverage.unknownWords, ...words])],
  }
}

const size = ['size', 'acres', 'capacity', 'length', 'longest']
const worth = ['rating', 'index', 'score', 'quality', 'suitability', 'risk', 'hazard']

/** Adjectives that can stand with any subject, and the measures that would answer them. */
const measuresOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bad: worth,
    best: worth,
    big: size,
    biggest: size,
    deep: ['depth'],
    extreme: ['maximum', 'minimum'],
    fast: ['speed'],
    fine: worth,
    free: [],
    good: worth,
    great: worth,
    happy: [],
    heavy: ['weight'],
    high: ['height', 'elevation'],
    honest: [],
    huge: size,
    important: [],
    interesting: [],
    large: size,
    largest: size,
    little: size,
    long: ['length', 'longest'],
    longest: ['length'],
    low: ['height', 'elevation'],
    modern: ['year'],
    new: ['year'],
    newest: ['year'],
    nice: [],
    normal: [],
    official: [],
    old: ['year'],
    oldest: ['year'],
    open: [],
    prefer: [],
    proper: [],
    quick: ['speed'],
    real: [],
    reliable: [],
    safe: worth,
    serious: worth,
    severe: worth,
    similar: [],
    simple: [],
    small: size,
    smart: [],
    special: [],
    strong: ['magnitude', 'intensity', 'speed'],
    tall: ['height'],
    top: worth,
    tricky: [],
    true: [],
    typical: [],
    usual: [],
    wide: ['width'],
    worst: worth,
    wrong: [],
  }),
)
