import { marginIn, type Fact } from './fact.ts'
import { capitalize, distanceSubjectOf, subjectOf } from '../planner/subject.ts'
import { convertTo, parseUnit } from './units.ts'
import { splitWords } from '../planner/words.ts'

/** The answer to a yes-or-no question: a separate `line`, or "Yes" or "No" before the sentence of a fact. */
export type YesNoAnswer = { line: string } | { fact: Fact; answer: 'Yes' | 'No' | 'Unlikely' }

/**
 * Answers a yes-or-no question by its words and the facts; null when that is uncertain. `cite` returns the citation of
 * a fact.
 */
export function yesNoAnswerOf(question: string, facts: Fact[], cite: (fact: Fact) => string): YesNoAnswer | null {
  const words = splitWords(question)
  return (
    compareWithThreshold(words, facts, cite) ??
    (isYesNoQuestion(words)
      ? (answerFromName(words, facts) ?? answerFromBoolean(words, facts) ?? answerFromCount(words, facts))
      : null)
  )
}

const questionVerbs = new Set(['is', 'are', 'am', 'does', 'do', 'did', 'was', 'were', 'has', 'have', 'will', 'isnt'])
/** Verbs that ask what is possible. A map that says no does not rule it out. */
const possibilityVerbs = new Set(['could', 'can', 'might', 'may', 'will', 'would'])
const moreWords = new Set([
  'above',
  'over',
  'more',
  'higher',
  'greater',
  'farther',
  'further',
  'exceed',
  'exceeds',
  'beyond',
  'bigger',
  'larger',
])
const lessWords = new Set(['under', 'below', 'less', 'lower', 'within', 'closer', 'nearer', 'fewer', 'smaller'])
/** Words that reverse a question, so that a value no longer answers it directly. */
const negatingWords = new Set([
  'not',
  "isn't",
  "aren't",
  "doesn't",
  "don't",
  'no',
  'never',
  'safe',
  'free',
  'clear',
  'outside',
  'out',
  'away',
  'avoid',
  'without',
  'or',
  'unlikely',
  'dry',
])

function isYesNoQuestion(words: string[]): boolean {
  const [verb = ''] = words
  return (questionVerbs.has(verb) || possibilityVerbs.has(verb)) && !words.some((word) => negatingWords.has(word))
}

/** Compares a value with a threshold in the question: `more than 500 feet`. */
function compareWithThreshold(words: string[], facts: Fact[], cite: (fact: Fact) => string): YesNoAnswer | null {
  const threshold = thresholdIn(words)
  const boundWord = threshold
    ? words.slice(0, threshold.at).findLast((word) => moreWords.has(word) || lessWords.has(word))
    : undefined
  if (!threshold || boundWord === undefined || words.join(' ').includes('how many')) return null
  const fact = facts.find(
    ({ field, result }) =>
      result.status === 'ok' &&
      typeof result.value === 'number' &&
      convertTo({ value: 0, unit: field.unit ?? '' }, threshold.unit) !== null,
  )
  if (!fact) return null
  const inUnit = (value: number) => convertTo({ value, unit: fact.field.unit ?? '' }, threshold.unit)!
  const value = inUnit(Number(fact.result.value))
  const isUncertain = Math.abs(value - threshold.value) <= inUnit(marginIn(fact) ?? 0)
  const side = value > threshold.value ? 'more than' : value < threshold.value ? 'less than' : 'just'
  const isFar = fact.field.name.endsWith('_distance_m')
  const sentence = `${isFar ? distanceSubjectOf(fact.field) : subjectOf(fact.field)} is ${side} ${threshold.text}${isFar ? ' away' : ''}${isUncertain && side !== 'just' ? ', by less than its margin of error' : ''} ${cite(fact)}.`
  if (!questionVerbs.has(words[0]!) || isUncertain || words.some((word) => negatingWords.has(word) && word !== 'away'))
    return { line: capitalize(sentence) }
  return { line: `${moreWords.has(boundWord) === (side === 'more than') ? 'Yes' : 'No'}: ${sentence}` }
}

/** Finds a number with its unit in the question: `500 feet`. */
function thresholdIn(words: string[]): { at: number; value: number; unit: string; text: string } | null {
  for (const [at, word] of words.entries()) {
    const unit = parseUnit(words[at + 1] ?? '')
    if (/^\d[\d.]*$/.test(word) && unit !== null)
      return { at, value: Number(word), unit, text: `${word} ${words[at + 1]}` }
  }
  return null
}

const placeKindPattern = /^(.+?) (?:county|parish|borough|city|town|village|cdp|municipio|planning region)$/

/** Answers "Is it in Denver County?" from a name: yes when the names match, no for another county. */
function answerFromName(words: string[], facts: Fact[]): YesNoAnswer | null {
  const text = ` ${words.join(' ')} `
  for (const fact of facts) {
    const {
      field: { name },
      result,
    } = fact
    if (
      result.status !== 'ok' ||
      typeof result.value !== 'string' ||
      !/^(?:county|political_locality|political_region|cbsa_name|timezone|nearest_.+_name)$/.test(name)
    )
      continue
    const value = splitWords(result.value).join(' ')
    if (text.includes(` ${placeKindPattern.exec(value)?.[1] ?? value} `)) return { fact, answer: 'Yes' }
    if (
      name === 'county' &&
      / in (?:the )?[a-z][a-z .'-]* (?:county|parish|borough) /.test(text) &&
      !/ in (?:a|an|any|this|what|which|my|the) (?:county|parish|borough) /.test(text)
    )
      return { fact, answer: 'No' }
  }
  return null
}

/**
 * Answers from a boolean field: the first of the plan, or the only one among the first fields. With several, a question
 * about several things has no single answer.
 */
function answerFromBoolean(words: string[], facts: Fact[]): YesNoAnswer | null {
  const yesOrNo = facts.filter(({ result }) => result.status === 'ok' && typeof result.value === 'boolean')
  const [fact] = yesOrNo
  const position = fact ? facts.indexOf(fact) : -1
  if (
    !fact ||
    position >= leadingFacts ||
    (yesOrNo.length > 1 && (position > 0 || words.includes('and'))) ||
    words.some((word) => moreWords.has(word) || (lessWords.has(word) && word !== 'within'))
  )
    return null
  const no = possibilityVerbs.has(words[0]!) ? 'Unlikely' : 'No'
  return { fact, answer: fact.result.value === true ? 'Yes' : no }
}

const leadingFacts = 3

/** Answers "Are there any dams near?" from a count, if it is the first of the plan. */
function answerFromCount(words: string[], facts: Fact[]): YesNoAnswer | null {
  const [fact] = facts
  if (
    !fact ||
    fact.result.status !== 'ok' ||
    fact.field.unit !== 'count' ||
    !/^(?:is|are|was|were) there /.test(words.join(' '))
  )
    return null
  return { fact, answer: Number(fact.result.value) > 0 ? 'Yes' : 'No' }
}
