import type { AnswerContent } from './answer-content.ts'
import { leadLinesOf } from './answer-lead.ts'
import { sourceNumbers } from './citations.ts'
import { comparisonSentences, type WritingOptions } from './comparison.ts'
import type { Fact } from './fact.ts'
import { placeComparisonSentences, type PlaceFacts } from './place-comparison.ts'
import { sanitizeText } from './plain-text.ts'
import {
  absenceSentences,
  namesWithin,
  nearestSentence,
  sentenceMax_words,
  sentenceOf,
  type SentenceOptions,
} from './sentence.ts'
import { capitalize, subjectOf, uncapitalize } from '../planner/subject.ts'
import { parseUnit } from './units.ts'
import { yesNoAnswerOf } from './yes-no-answer.ts'
import { splitWords } from '../planner/words.ts'

/** A written answer, line by line, and the fields it is based on. */
export type TemplateAnswer = { lines: string[]; used: string[] }

/**
 * Writes an answer without a model. First come corrected and unknown words, and a comparison of places. Then follow for
 * each place: yes or no and comparisons if the question asks for them, a sentence for each value, and the gaps.
 */
export function writeFromTemplates(content: AnswerContent): TemplateAnswer {
  const { question, facts, location = 'the location of this question', otherPlaces = [], units = 'us' } = content
  const all = [...facts, ...otherPlaces.flatMap((it) => it.facts)]
  const numbers = sourceNumbers(all)
  const options: WritingOptions = { cite: ({ result }) => `[${numbers.get(result.source) ?? ''}]`, units }
  const sanitize = (line: string) => sanitizeText(line, new Set(numbers.values()))
  const here: PlaceFacts = { name: location, where: `at ${location}`, facts }
  const places = [...otherPlaces, here].map((it) => ({ ...it, facts: it.facts.map(sanitizeFact) }))
  const comparison = otherPlaces.length === 0 ? [] : placeComparisonSentences(question, places, options)
  const sections =
    otherPlaces.length === 0
      ? factLinesOf(question, facts, options)
      : [...otherPlaces, here].flatMap((place) => [
          `${capitalize(place.where)}:`,
          ...factLinesOf(question, place.facts, options),
        ])
  return {
    lines: [...comparison, ...leadLinesOf(content), ...(all.length === 0 ? [] : sections)].map(sanitize),
    used: [...new Set(all.filter(({ result }) => result.status !== 'failed').map(({ field }) => field.name))],
  }
}

/** Returns the lines about one place. */
function factLinesOf(question: string, facts: Fact[], options: WritingOptions): string[] {
  const answeredFacts = countsFirst(
    question,
    facts.filter(({ result }) => result.status !== 'failed').map(sanitizeFact),
  )
  const yesNo = yesNoAnswerOf(question, answeredFacts, options.cite)
  const sentences = sentencesOf(
    yesNo && 'fact' in yesNo ? [yesNo.fact, ...answeredFacts.filter((it) => it !== yesNo.fact)] : answeredFacts,
    splitWords(question),
    options,
  )
  const lines =
    yesNo && 'fact' in yesNo ? [`${yesNo.answer}: ${uncapitalize(sentences[0]!)}`, ...sentences.slice(1)] : sentences
  return [
    ...(yesNo && 'line' in yesNo ? [yesNo.line] : comparisonSentences(question, answeredFacts, options)),
    ...lines,
    ...gapLinesOf(facts),
  ]
}

/** Answers "how many" with a count first. */
function countsFirst(question: string, facts: Fact[]): Fact[] {
  if (!/\bhow many\b/i.test(question)) return facts
  const isCount = ({ field: { unit } }: Fact) => unit === 'count' || unit === 'people' || unit === 'days/year'
  return [...facts.filter(isCount), ...facts.filter((fact) => !isCount(fact))]
}

/**
 * Returns a sentence for each value, or for the name and distance of one feature, then the absences. The vintage of
 * each source is stated once.
 */
function sentencesOf(facts: Fact[], words: string[], { cite, units }: WritingOptions): string[] {
  const requestedUnit = words.map(parseUnit).find((unit) => unit !== null) ?? null
  const merged = new Set<Fact>()
  const datedSources = new Set<string>()
  const optionsFor = (group: Fact[]): SentenceOptions => {
    const { source, dataset_vintage } = group[0]!.result
    const showsVintage = !datedSources.has(`${source} ${dataset_vintage}`)
    datedSources.add(`${source} ${dataset_vintage}`)
    return { citations: [...new Set(group.map(cite))].join(''), requestedUnit, units, showsVintage }
  }
  const okFacts = facts.filter(({ result }) => result.status === 'ok')
  const sentences = okFacts.flatMap((fact) => {
    if (merged.has(fact)) return []
    const pair = nameDistancePairOf(fact, facts)
    if (!pair) return [sentenceOf(fact, optionsFor([fact]))]
    pair.forEach((it) => merged.add(it))
    return [nearestSentence(pair[0], pair[1], optionsFor(pair))]
  })
  return [
    ...sentences,
    ...absenceSentences(
      facts.filter(({ result }) => result.status === 'absent'),
      cite,
    ),
  ]
}

/** Finds the name and the distance of one nearest feature when both are known. */
function nameDistancePairOf({ field }: Fact, facts: Fact[]): [Fact, Fact] | null {
  const subject = /^(nearest_.+)_(?:name|distance_m)$/.exec(field.name)?.[1]
  const [name, distance] = ['name', 'distance_m'].map((part) =>
    facts.find((it) => it.field.name === `${subject}_${part}` && it.result.status === 'ok'),
  )
  return name && distance ? [name, distance] : null
}

/** Text from a source is shown as plain text and cannot cite anything. */
function sanitizeFact(fact: Fact): Fact {
  const { result } = fact
  return result.status === 'ok' && typeof result.value === 'string'
    ? { ...fact, result: { ...result, value: sanitizeText(result.value, noCitations).trim() || '(no text)' } }
    : fact
}

const noCitations = new Set<number>()

/** Returns two sentences for each reason why fields failed. `data_gaps` has all fields and codes. */
function gapLinesOf(facts: Fact[]): string[] {
  const failed = facts.flatMap(({ field, result }) =>
    result.status === 'failed' ? [{ field, code: result.error.split(':')[0]! }] : [],
  )
  return [...Map.groupBy(failed, ({ code }) => code)].map(([code, gaps]) => {
    const names = gaps.map(({ field }) => `${field.type === 'boolean' ? 'whether ' : ''}${subjectOf(field)}`)
    return `Not available: ${namesWithin(sentenceMax_words - 2, names)}. ${reasons[code] ?? `The source failed (${code})`}.`
  })
}

const reasons: Record<string, string> = {
  offline_no_data: 'This server has no local data for it and does not use the network',
  no_local_data: 'This server has no local data for it, and no service answers it',
  key_missing: 'The source needs a key that this server does not have',
  timeout: 'The source did not answer in time',
  rate_limited: 'The source limits how often it can be called',
  upstream_5xx: 'The source had an internal error',
  connection_failed: 'The source could not be reached',
  bad_response: 'The source returned an invalid response',
}
