import type { Fact } from './fact.ts'
import { shown } from './shown.ts'
import { capital, subjectOf } from './sentence.ts'
import { inUnit, unitNamed } from './units.ts'
import { wordsOf } from './words.ts'

/** The sentences that answer a comparison: which of two is nearer or greater, and on which side of a figure of the question a value lies. */
export function comparisonsIn(question: string, facts: Fact[]): string[] {
  const words = wordsOf(question)
  const numbers = facts.filter(({ result }) => result.status === 'ok' && typeof result.value === 'number')
  return [...betweenFacts(words, numbers), ...withFigure(words, numbers)]
}

const comparing = new Set(['closer', 'nearer', 'farther', 'further', 'compare', 'compared', 'higher', 'lower', 'bigger', 'larger', 'smaller', 'greater', 'versus', 'vs', 'than'])
const sayingMore = new Set(['above', 'over', 'more', 'higher', 'greater', 'farther', 'further', 'exceed', 'exceeds'])
const sayingLess = new Set(['under', 'below', 'less', 'lower', 'within', 'closer', 'nearer', 'fewer'])

function betweenFacts(words: string[], facts: Fact[]): string[] {
  if (!words.some((word) => comparing.has(word)) || figureIn(words)) return []
  const alike = [...Map.groupBy(facts.filter(({ field }) => field.unit !== null), ({ field }) => `${field.unit}${field.name.endsWith('_distance_m')}`).values()].filter(({ length }) => length > 1)
  return alike.map((group) => {
    const ordered = group.toSorted((a, b) => Number(a.result.value) - Number(b.result.value))
    return `Compared, the ${ordered[0]!.field.name.endsWith('_distance_m') ? 'shortest' : 'least'} first: ${ordered.map(said).join('; ')}.`
  })
}

function said({ field, result }: Fact): string {
  return `${subjectOf(field)}, ${shown(result.value!, field, null)}`
}

function withFigure(words: string[], facts: Fact[]): string[] {
  const figure = figureIn(words)
  const asked = words.some((word) => sayingMore.has(word) || sayingLess.has(word))
  if (!figure || !asked || words.join(' ').includes('how many')) return []
  const fact = facts.find(({ field }) => field.unit !== null && inUnit({ value: 0, unit: field.unit }, figure.unit) !== null)
  if (!fact) return []
  const value = inUnit({ value: Number(fact.result.value), unit: fact.field.unit! }, figure.unit)!
  const side = value > figure.value ? 'more than' : value < figure.value ? 'less than' : 'equal to'
  return [`${capital(subjectOf(fact.field))} is ${side} ${figure.text}.`]
}

/** A number of the question with its unit: `500 feet`. */
function figureIn(words: string[]): { value: number; unit: string; text: string } | null {
  for (const [i, word] of words.entries()) {
    const unit = unitNamed(words[i + 1] ?? '')
    if (/^\d[\d.]*$/.test(word) && unit !== null) return { value: Number(word), unit, text: `${word} ${words[i + 1]}` }
  }
  return null
}
