import type { Coverage } from '../answer/coverage.ts'
import type { PhraseMatch } from './phrase-finder.ts'
import type { WordSpan } from './place-names.ts'
import { parseUnit } from '../answer/units.ts'
import { isWithin, type QuestionReading } from './question-reading.ts'
import type { Topic } from './topics.ts'
import { rootOf, stemOf } from './words.ts'

/** The word or phrase, and whether it is named by its own fields, so that the answer need not name it. */
type Qualifier = { word: string; isOther: boolean }

/**
 * A phrase that names a subject, with the stems and roots of all words about its fields, the roots of the words in their
 * names, and the phrases that name other fields as well.
 */
type Noun = WordSpan & Record<'stems' | 'roots' | 'nameRoots', ReadonlySet<string>> & { others: readonly WordSpan[] }

/** Returns the phrases that name a nearest thing. `chosen`: all fields of the plan; some may be about such a thing. */
export function nounsIn(
  topics: readonly PhraseMatch<Topic>[],
  chosen: readonly string[],
  wordsOf: (names: string[]) => string[],
): Noun[] {
  const thingOf = (name: string) => /^nearest_[a-z]+_/.exec(name)?.[0]
  return topics
    .filter(({ value }) => value.kind === 'names' && value.fields.some(thingOf))
    .map(({ from, to, value: { fields } }) => {
      const things = new Set(fields.map(thingOf))
      const names = [...fields, ...chosen].filter((name) => thingOf(name) !== undefined && things.has(thingOf(name)))
      const words = wordsOf(names)
      return {
        from,
        to,
        stems: new Set(words.map(stemOf)),
        roots: new Set(words.map(rootOf)),
        nameRoots: new Set(names.flatMap((it) => it.split('_')).map(rootOf)),
        others: topics.filter(({ value }) => !value.fields.every((name) => names.includes(name))),
      }
    })
}

/**
 * Returns what the question says of a noun before and after it, and the fields of the noun say nothing about. `others`:
 * words that only the name of a field about no nearest thing has.
 */
export function unansweredQualifiers(
  reading: QuestionReading,
  nouns: readonly Noun[],
  topics: readonly WordSpan[],
  others: readonly string[],
): Qualifier[] {
  return nouns.flatMap((noun) => [
    ...adjectiveBefore(reading.words, noun, topics, others),
    ...subjectBefore(reading.words, noun, topics),
    ...modifierAfter(reading, noun, topics),
  ])
}

/** Returns an adjective before a noun and the words that its fields answer, as in "a friendly public airport". */
function adjectiveBefore(
  words: readonly string[],
  { from, stems, roots, nameRoots }: Noun,
  topics: readonly WordSpan[],
  others: readonly string[],
): Qualifier[] {
  const isTopic = (i: number) => isWithin(i, topics) || others.includes(stemOf(words[i]!))
  const firstAdjective = words.findLastIndex((word, i) => i < from && nounIntroductions.has(word)) + 1
  // A word that also names something else must stand in the name of a field. An adjective must be a word of the fields:
  // "health care" does not answer "a healthy hospital".
  const isAnswered = (word: string, i: number) =>
    i < firstAdjective || isTopic(i) ? isAbout(word, isTopic(i) ? nameRoots : roots) : stems.has(stemOf(word))
  const at = words.findLastIndex((word, i) => i < from && (measuresOf.has(word) || !isAnswered(word, i)))
  const before = words[at]
  const measures = measuresOf.get(before ?? '')
  if (before === undefined || measures?.some((it) => isAbout(it, nameRoots))) return []
  const isQualifier = measures !== undefined || isTopic(at) || !grammarWords.has(before)
  return isQualifier ? [{ word: before, isOther: isTopic(at) }] : []
}

/** Returns another subject that the question asks of the noun, as in "the flood zone of the nearest hospital". */
function subjectBefore(words: readonly string[], { from, to, roots }: Noun, topics: readonly WordSpan[]): Qualifier[] {
  let at = from - 1
  while (at > 0 && nounIntroductions.has(words[at]!)) at--
  const subject = prepositions.has(words[at] ?? '') ? topics.findLast(({ to }) => to <= at) : undefined
  if (!subject || words.slice(subject.to, at).some((word) => clauseEnd.test(word))) return []
  const isAnswered = words.slice(subject.from, subject.to).some((word) => isAbout(word, roots))
  return isAnswered ? [] : [{ word: words.slice(at, to).join(' '), isOther: false }]
}

/**
 * Returns what follows a noun up to the end of its clause, as in "an airport with wifi", if anything in it is open.
 * Another subject is open only behind a link word: "is the creek polluted" asks for both.
 */
function modifierAfter(
  { words, places, aside }: QuestionReading,
  { to, roots, nameRoots, others }: Noun,
  topics: readonly WordSpan[],
): Qualifier[] {
  const clause = words.slice(to).findIndex((word) => clauseEnd.test(word))
  const end = clause < 0 ? words.length : to + clause
  const link = words.findIndex((word, i) => i >= to && linkWords.has(word) && !articles.has(word))
  // "A lake with a waterfront" asks for a part of the lake, so another topic must stand in the name of a field.
  const isPart = (i: number) =>
    isWithin(i, others) && words.slice(to, i).some((word) => /^(?:with(?:out)?|ha(?:s|ve|ving))$/.test(word))
  const isOpen = (i: number) =>
    !grammarWords.has(words[i]!) &&
    !isAbout(words[i]!, isPart(i) ? nameRoots : roots) &&
    !isWithin(i, places) &&
    !aside[i] &&
    !isDistance(words, i) &&
    !(isWithin(i, topics) && (link < 0 || i < link))
  let start = words.findIndex((_, i) => i >= to && i < end && isOpen(i))
  if (start < 0) return []
  while (start > to && linkWords.has(words[start - 1]!)) start--
  const last = words.findLastIndex((_, i) => i < end && isOpen(i))
  return [{ word: words.slice(start, last + 1).join(' '), isOther: false }]
}

/** Whether a word belongs to "in miles", "within 5 miles" or "5 miles away", but not to "above 5000 feet". */
function isDistance(words: readonly string[], i: number): boolean {
  const isUnit = parseUnit(words[i]!) !== null
  const number = isUnit ? i - 1 : i
  const isPair = /^\d/.test(words[number] ?? '') && parseUnit(words[number + 1] ?? '') !== null
  return isPair ? !/^(?:above|over|below)$/.test(words[number - 1]!) : isUnit && /^(?:in|an?)$/.test(words[i - 1]!)
}

function isAbout(word: string, roots: ReadonlySet<string>): boolean {
  return roots.has(rootOf(word)) || roots.has(stemOf(word))
}

const clauseEnd = /^(?:[,;.?!:]|and|or|but)$/
const prepositions = new Set('of at in inside on by near from around behind within'.split(' '))
const articles = new Set(['the', 'a', 'an'])
const nounIntroductions = new Set('the a an my our your this that any nearest closest next'.split(' '))
/** Words that can begin a modifier. */
const linkWords = new Set([
  ...prepositions,
  ...articles,
  ...'with without that which who whose where since before after over above below under next to for i people'.split(
    ' ',
  ),
])
/** Words that say of a noun only where it is, how far, or that it is asked for. */
const grammarWords = new Set(
  `a an the this that these those my our your his her their its it i me we us you they there here is are was were be been am
  do does did has have had can could will would should may might must not no of to from at in on by for with as than
  and or if so which what who where how far near nearest nearby close closest closer next away around within about
  place site location address spot point house home property parcel lot land coordinate coordinates area neighborhood
  live living located lie lies sit sits find get go going drive driving reach reachable exist exists called named
  name distance minutes minute long more less then
  exactly please lol today now currently lately moment right straight line roughly actually likely any some one ones all each also too
  serve serves cover covers run runs running flow flows work up per day see farther further use be know tell show me building city town county state`.split(
    /\s+/,
  ),
)

/** Without an answer to a qualifier of the question, the fields answer only a part of it. */
export function withQualifiers(coverage: Coverage, qualifiers: readonly Qualifier[]): Coverage {
  if (qualifiers.length === 0 || coverage.relevance === 'low') return coverage
  const named = qualifiers.filter(({ isOther }) => !isOther).map(({ word }) => word)
  const words = [...new Set(named)].filter(
    (word) =>
      !coverage.unknownWords.some((it) => word.split(' ').includes(it)) &&
      !named.some((it) => it !== word && it.includes(word)),
  )
  return {
    ...coverage,
    relevance: coverage.relevance === 'high' ? 'medium' : coverage.relevance,
    unknownWords: [...coverage.unknownWords, ...words],
  }
}

/** Adjectives that can stand with any subject, and the measures that would answer them. */
const measuresOf: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ['big biggest enormous huge large largest little massive small tiny', 'size acres capacity length longest'],
      ['best excellent fine good great terrible top', 'rating index score quality suitability'],
      ['bad safe serious severe worst', 'rating index score quality suitability risk hazard condition'],
      ['long longest', 'length longest'],
      ['high low', 'height elevation voltage pressure'],
      ['modern new newest old oldest', 'year age date'],
      ['fast quick', 'speed'],
      ['strong', 'magnitude intensity speed'],
      ['extreme', 'maximum minimum'],
      ['deep', 'depth'],
      ['heavy', 'weight'],
      ['tall', 'height'],
      ['wide', 'width'],
      ['free happy honest important interesting nice normal official open portable prefer proper rare real', ''],
      ['reliable similar simple smart special tricky true typical usual wrong', ''],
    ] as const
  ).flatMap(([words, measures]) => words.split(' ').map((word) => [word, measures.split(' ')] as const)),
)
