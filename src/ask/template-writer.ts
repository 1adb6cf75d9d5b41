import { sourceNumbers } from './citations.ts'
import { comparisonsIn } from './comparison.ts'
import type { Fact } from './fact.ts'
import { gapLinesOf } from './gap-lines.ts'
import { plain } from './plain-text.ts'
import { absenceSentences, nearestSentence, sentenceOf, type Telling } from './sentence.ts'
import { small } from './subject.ts'
import { unitNamed } from './units.ts'
import { verdictOf } from './verdict.ts'
import { wordsOf } from './words.ts'

/** An answer as it is written, line by line, and the fields it rests on. */
export type Written = { lines: string[]; used: string[] }

/** Writes the answer without a model: yes or no and comparisons first, where the question asks so; then a sentence for each value, and what could not be had. */
export function writtenFrom(question: string, facts: Fact[]): Written {
  if (facts.length === 0) return { lines: ['Nothing in the catalog answers this question; GET /v1/meta/fields lists what can be asked.'], used: [] }
  const numbers = sourceNumbers(facts)
  const cite = ({ result }: Fact) => `[${numbers.get(result.source) ?? ''}]`
  const answered = countsFirst(question, facts.filter(({ result }) => result.status !== 'failed').map(valued))
  const verdict = verdictOf(question, answered, cite)
  const told = toldFrom(verdict && 'of' in verdict ? [verdict.of, ...answered.filter((it) => it !== verdict.of)] : answered, wordsOf(question), cite)
  const first = verdict && 'of' in verdict ? [`${verdict.said}: ${small(told[0]!)}`, ...told.slice(1)] : told
  const lines = [...(verdict && 'line' in verdict ? [verdict.line] : comparisonsIn(question, answered, cite)), ...first]
  return { lines: [...lines.map((line) => plain(line, new Set(numbers.values()))), ...gapLinesOf(facts)], used: answered.map(({ field }) => field.name) }
}

/** "How many" is answered by a count before anything else. */
function countsFirst(question: string, facts: Fact[]): Fact[] {
  if (!/\bhow many\b/i.test(question)) return facts
  const isCount = ({ field: { unit } }: Fact) => unit === 'count' || unit === 'people' || unit === 'days/year'
  return [...facts.filter(isCount), ...facts.filter((fact) => !isCount(fact))]
}

/** A sentence for each value, or for the name and the distance of one thing, then what has none; the vintage of a source is told once. */
function toldFrom(facts: Fact[], words: string[], cite: (fact: Fact) => string): string[] {
  const asked = words.map(unitNamed).find((unit) => unit !== null) ?? null
  const merged = new Set<Fact>()
  const dated = new Set<string>()
  const telling = (of: Fact[]): Telling => {
    const { source, vintage } = of[0]!.result
    const isDated = !dated.has(`${source} ${vintage}`)
    dated.add(`${source} ${vintage}`)
    return { cited: [...new Set(of.map(cite))].join(''), asked, isDated }
  }
  const known = facts.filter(({ result }) => result.status === 'ok')
  const told = known.flatMap((fact) => {
    if (merged.has(fact)) return []
    const pair = pairOf(fact, facts)
    if (!pair) return [sentenceOf(fact, telling([fact]))]
    pair.forEach((it) => merged.add(it))
    return [nearestSentence(pair[0], pair[1], telling(pair))]
  })
  return [...told, ...absenceSentences(facts.filter(({ result }) => result.status === 'absent'), cite)]
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
