import type { Fact } from './fact.ts'
import { capital, farThingOf, subjectOf } from './subject.ts'
import { inUnit, unitNamed } from './units.ts'
import { wordsOf } from './words.ts'

/** What a question of yes or no comes to, before all else: a `line` of its own, or `yes`/`no` before the sentence of a fact. Null where that cannot be told for sure. */
export type Verdict = { line: string } | { of: Fact; said: 'Yes' | 'No' }

/** Judges a question by its words and the facts; `cite` gives the mark of a fact's source. */
export function verdictOf(question: string, facts: Fact[], cite: (fact: Fact) => string): Verdict | null {
  const words = wordsOf(question)
  return withFigure(words, facts, cite) ?? (asksWhether(words) ? named(words, facts) ?? alone(words, facts) : null)
}

const asking = new Set(['is', 'are', 'am', 'does', 'do', 'did', 'was', 'were', 'has', 'have', 'will', 'isnt'])
const sayingMore = new Set(['above', 'over', 'more', 'higher', 'greater', 'farther', 'further', 'exceed', 'exceeds', 'beyond', 'bigger', 'larger'])
const sayingLess = new Set(['under', 'below', 'less', 'lower', 'within', 'closer', 'nearer', 'fewer', 'smaller'])
/** Words that turn a question round: what they ask is not what a field says. */
const turning = new Set(['not', "isn't", "aren't", "doesn't", "don't", 'no', 'never', 'safe', 'free', 'clear', 'outside', 'out', 'away', 'avoid', 'without', 'or', 'unlikely', 'dry'])

function asksWhether(words: string[]): boolean {
  return asking.has(words[0] ?? '') && !words.some((word) => turning.has(word))
}

/** On which side of a figure of the question a value lies: `more than 500 feet`. */
function withFigure(words: string[], facts: Fact[], cite: (fact: Fact) => string): Verdict | null {
  const figure = figureIn(words)
  const bound = figure ? words.slice(0, figure.at).findLast((word) => sayingMore.has(word) || sayingLess.has(word)) : undefined
  if (!figure || bound === undefined || words.join(' ').includes('how many')) return null
  const fact = facts.find(({ field, result }) => result.status === 'ok' && typeof result.value === 'number' && inUnit({ value: 0, unit: field.unit ?? '' }, figure.unit) !== null)
  if (!fact) return null
  const value = inUnit({ value: Number(fact.result.value), unit: fact.field.unit ?? '' }, figure.unit)!
  const side = value > figure.value ? 'more than' : value < figure.value ? 'less than' : 'just'
  const isFar = fact.field.name.endsWith('_distance_m')
  const said = `${isFar ? farThingOf(fact.field) : subjectOf(fact.field)} is ${side} ${figure.text}${isFar ? ' away' : ''} ${cite(fact)}.`
  if (!asking.has(words[0]!) || side === 'just' || words.some((word) => turning.has(word) && word !== 'away')) return { line: capital(said) }
  return { line: `${sayingMore.has(bound) === (side === 'more than') ? 'Yes' : 'No'}: ${said}` }
}

/** A number of the question with its unit: `500 feet`. */
function figureIn(words: string[]): { at: number; value: number; unit: string; text: string } | null {
  for (const [at, word] of words.entries()) {
    const unit = unitNamed(words[at + 1] ?? '')
    if (/^\d[\d.]*$/.test(word) && unit !== null) return { at, value: Number(word), unit, text: `${word} ${words[at + 1]}` }
  }
  return null
}

const kinds = /^(.+?) (?:county|parish|borough|city|town|village|cdp|municipio|planning region)$/

/** "Is it in Denver County?": the county is that, or it is another. */
function named(words: string[], facts: Fact[]): Verdict | null {
  const text = ` ${words.join(' ')} `
  for (const of of facts) {
    const { field: { name }, result } = of
    if (result.status !== 'ok' || typeof result.value !== 'string' || !/^(?:county|place_name|state_name|cbsa_name|timezone|nearest_.+_name)$/.test(name)) continue
    const value = wordsOf(result.value).join(' ')
    if (text.includes(` ${kinds.exec(value)?.[1] ?? value} `)) return { of, said: 'Yes' }
    if (name === 'county' && / in (?:the )?[a-z][a-z .'-]* (?:county|parish|borough) /.test(text) && !/ in (?:a|an|any|this|what|which|my|the) (?:county|parish|borough) /.test(text)) return { of, said: 'No' }
  }
  return null
}

/** One field that says yes or no, the first of the plan: what it says is the answer. */
function alone(words: string[], facts: Fact[]): Verdict | null {
  const of = facts[0]
  const yesOrNo = facts.filter(({ result }) => result.status === 'ok' && typeof result.value === 'boolean')
  if (!of || yesOrNo.length !== 1 || yesOrNo[0] !== of || words.some((word) => sayingMore.has(word) || sayingLess.has(word) && word !== 'within')) return null
  return { of, said: of.result.value === true ? 'Yes' : 'No' }
}
