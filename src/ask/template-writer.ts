import { sourceNumbers } from './citations.ts'
import { comparisonsIn } from './comparison.ts'
import type { Fact } from './fact.ts'
import { plain } from './plain-text.ts'
import { nearestSentence, sentenceOf } from './sentence.ts'
import { unitNamed } from './units.ts'
import { wordsOf } from './words.ts'

/** An answer as it is written, line by line, and the fields it rests on. */
export type Written = { lines: string[]; used: string[] }

const namedGapsMax = 15

/** Writes the answer without a model: a sentence for each value, comparisons where the question compares, and what could not be had. */
export function writtenFrom(question: string, facts: Fact[]): Written {
  if (facts.length === 0) return { lines: ['Nothing in the catalog answers this question; GET /v1/meta/fields lists what can be asked.'], used: [] }
  const numbers = sourceNumbers(facts)
  const cite = ({ result }: Fact) => `[${numbers.get(result.source) ?? ''}]`
  const asked = wordsOf(question).map(unitNamed).find((unit) => unit !== null) ?? null
  const answered = facts.filter(({ result }) => result.status !== 'failed')
  const merged = new Set<Fact>()
  const lines = answered.flatMap((fact) => {
    if (merged.has(fact)) return []
    const pair = pairOf(fact, answered)
    if (!pair) return [cleaned(sentenceOf(valued(fact), cite(fact), asked), cite(fact))]
    pair.forEach((it) => merged.add(it))
    const cited = [...new Set(pair.map(cite))].join('')
    return [cleaned(nearestSentence(valued(pair[0]), pair[1], cited, asked), cited)]
  })
  return { lines: [...lines, ...comparisonsIn(question, answered), ...gapLines(facts)], used: answered.map(({ field }) => field.name) }
}

/** The name and the distance of one nearest thing, both known. */
function pairOf({ field }: Fact, facts: Fact[]): [Fact, Fact] | null {
  const thing = /^(nearest_.+)_(?:name|distance_m)$/.exec(field.name)?.[1]
  const [name, distance] = ['name', 'distance_m'].map((part) => facts.find((it) => it.field.name === `${thing}_${part}` && it.result.status === 'ok'))
  return name && distance ? [name, distance] : null
}

/** What a source says is shown as text, and can cite nothing. */
function valued(fact: Fact): Fact {
  const { result } = fact
  return result.status === 'ok' && typeof result.value === 'string' ? { ...fact, result: { ...result, value: plain(result.value, noCitation).trim() || '(no text)' } } : fact
}

const noCitation = new Set<number>()

function cleaned(sentence: string, cited: string): string {
  return plain(sentence, new Set([...cited.matchAll(/\d+/g)].map(([id]) => Number(id))))
}

function gapLines(facts: Fact[]): string[] {
  const failed = facts.flatMap(({ field, result }) => (result.status === 'failed' ? [`${field.name} (${result.error.split(':')[0]})`] : []))
  if (failed.length === 0) return []
  return [`Could not be had: ${failed.slice(0, namedGapsMax).join(', ')}.`]
}
