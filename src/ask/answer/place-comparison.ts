import type { WritingOptions } from './comparison.ts'
import { insignificanceClause, type Fact } from './fact.ts'
import { formatValue } from './format-value.ts'
import { capitalize, subjectOf, uncapitalize } from '../planner/subject.ts'
import { splitWords } from '../planner/words.ts'

/** The facts of one place of an answer about several places. `where` is `in Denver, CO` or `at 40.01, -105.27`. */
export type PlaceFacts = { name: string; where: string; facts: Fact[] }

/** The fact of one place. */
type FactAt = { where: string; name: string; fact: Fact }

const comparedFieldsMax = 3

/**
 * Returns sentences that compare places, field by field, when the question asks for it. The last place is the location
 * of the request. "Is rent higher in A than in B?" is answered with yes or no first.
 */
export function placeComparisonSentences(
  question: string,
  places: PlaceFacts[],
  { cite, units }: WritingOptions,
): string[] {
  const words = splitWords(question)
  if (!words.some((word) => comparisonWords.has(word) || moreWords.has(word) || lessWords.has(word))) return []
  const isHereMeant = places.length < 3 || words.some((word) => hereWords.has(word))
  const compared = isHereMeant ? places : places.slice(0, -1)
  const names = compared[0]?.facts.map(({ field }) => field.name) ?? []
  const sentences = names.flatMap((name) => {
    const facts = compared.flatMap((place): FactAt[] => {
      const fact = place.facts.find(({ field, result }) => field.name === name && result.status === 'ok')
      return fact ? [{ where: place.where, name: place.name, fact }] : []
    })
    if (facts.length !== compared.length) return []
    const citations = [...new Set(facts.map(({ fact }) => cite(fact)))].join('')
    const valueText = ({ field, result }: Fact) => formatValue(result.value!, field, { units })
    const sentence = comparisonSentence(facts, valueText)
    const yesNo = yesNoOf(question, words, facts)
    return [`${yesNo === null ? sentence : `${yesNo}: ${uncapitalize(sentence)}`} ${citations}.`]
  })
  return sentences.slice(0, comparedFieldsMax)
}

function comparisonSentence(facts: FactAt[], valueText: (fact: Fact) => string): string {
  const { field, result } = facts[0]!.fact
  const subject = capitalize(subjectOf(field))
  if (typeof result.value !== 'number')
    return `${subject}: ${facts.map(({ where, fact }) => `${valueText(fact)} ${where}`).join(', ')}`
  const [most, ...others] = facts.toSorted((a, b) => Number(b.fact.result.value) - Number(a.fact.result.value))
  const isSame = others.every(({ fact }) => fact.result.value === most!.fact.result.value)
  if (isSame) return `${subject} is the same ${facts.map(({ where }) => where).join(' and ')}: ${valueText(most!.fact)}`
  const degree = facts.length === 2 ? 'greater' : 'greatest'
  const clause = facts.length === 2 ? insignificanceClause(facts[0]!.fact, facts[1]!.fact) : ''
  return `${subject} is ${degree} ${most!.where}: ${valueText(most!.fact)}, compared with ${others.map(({ where, fact }) => `${valueText(fact)} ${where}`).join(' and ')}${clause}`
}

/** Answers "Is X higher in A than in B?" from two numbers; null when the question is another one. */
function yesNoOf(question: string, words: string[], facts: FactAt[]): 'Yes' | 'No' | null {
  const than = question.search(/\bthan\b/i)
  const [a, b] = facts
  if (!/^(?:is|are|was|were|does|do)$/.test(words[0] ?? '') || than < 0 || facts.length !== 2) return null
  const isMore = words.some((word) => moreWords.has(word))
  if (isMore === words.some((word) => lessWords.has(word)) || typeof a!.fact.result.value !== 'number') return null
  const positionOf = ({ name }: FactAt) => {
    const position = question.indexOf(name.split(',')[0]!)
    return position < 0 ? question.search(/\b(?:here|this|my|our)\b/i) : position
  }
  const first = positionOf(a!) < than ? a! : b!
  const second = first === a ? b! : a!
  const difference = Number(first.fact.result.value) - Number(second.fact.result.value)
  if (insignificanceClause(first.fact, second.fact) !== '') return null
  return (isMore ? difference > 0 : difference < 0) ? 'Yes' : 'No'
}

const hereWords = new Set(['here', 'this', 'my', 'our'])
const comparisonWords = new Set([
  'compare',
  'compared',
  'comparison',
  'versus',
  'vs',
  'difference',
  'than',
  'or',
  'more',
  'less',
])
const moreWords = new Set(
  'more higher greater bigger larger farther further hotter warmer wetter rainier windier sunnier steeper taller older longer denser richer'.split(
    ' ',
  ),
)
const lessWords = new Set(
  'less fewer lower smaller closer nearer cheaper colder cooler drier dryer flatter shorter younger newer poorer'.split(
    ' ',
  ),
)
