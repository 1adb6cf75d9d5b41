import { sourceNumbers } from './citations.ts'
import { comparisonSentences } from './comparison.ts'
import type { Fact } from './fact.ts'
import { gapLinesOf } from './gap-lines.ts'
import { sanitizeText } from './plain-text.ts'
import { absenceSentences, nearestSentence, sentenceOf, type SentenceOptions } from './sentence.ts'
import { uncapitalize } from './subject.ts'
import { parseUnit } from './units.ts'
import { yesNoAnswerOf } from './yes-no-answer.ts'
import { splitWords } from './words.ts'

/** A written answer, line by line, and the fields it is based on. */
export type TemplateAnswer = { lines: string[]; used: string[] }

/**
 * Writes an answer without a model: yes or no and comparisons first if the question asks for them, then a sentence per
 * value, then the gaps.
 */
export function writeFromTemplates(question: string, facts: Fact[]): TemplateAnswer {
  if (facts.length === 0)
    return {
      lines: ['The catalog has no field for this question. GET /v1/meta/fields lists all fields.'],
      used: [],
    }
  const numbers = sourceNumbers(facts)
  const cite = ({ result }: Fact) => `[${numbers.get(result.source) ?? ''}]`
  const answeredFacts = countsFirst(
    question,
    facts.filter(({ result }) => result.status !== 'failed').map(sanitizeFact),
  )
  const verdict = yesNoAnswerOf(question, answeredFacts, cite)
  const sentences = sentencesOf(
    verdict && 'fact' in verdict ? [verdict.fact, ...answeredFacts.filter((it) => it !== verdict.fact)] : answeredFacts,
    splitWords(question),
    cite,
  )
  const factLines =
    verdict && 'fact' in verdict
      ? [`${verdict.answer}: ${uncapitalize(sentences[0]!)}`, ...sentences.slice(1)]
      : sentences
  const lines = [
    ...(verdict && 'line' in verdict ? [verdict.line] : comparisonSentences(question, answeredFacts, cite)),
    ...factLines,
  ]
  return {
    lines: [...lines.map((line) => sanitizeText(line, new Set(numbers.values()))), ...gapLinesOf(facts)],
    used: answeredFacts.map(({ field }) => field.name),
  }
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
function sentencesOf(facts: Fact[], words: string[], cite: (fact: Fact) => string): string[] {
  const requestedUnit = words.map(parseUnit).find((unit) => unit !== null) ?? null
  const merged = new Set<Fact>()
  const datedSources = new Set<string>()
  const optionsFor = (group: Fact[]): SentenceOptions => {
    const { source, vintage } = group[0]!.result
    const showsVintage = !datedSources.has(`${source} ${vintage}`)
    datedSources.add(`${source} ${vintage}`)
    return { citations: [...new Set(group.map(cite))].join(''), requestedUnit, showsVintage }
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
