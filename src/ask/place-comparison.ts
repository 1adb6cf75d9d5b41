import type { WritingOptions } from './comparison.ts'
import type { Fact } from './fact.ts'
import { formatValue } from './format-value.ts'
import { capitalize, subjectOf } from './subject.ts'
import { splitWords } from './words.ts'

/** The facts of one place of an answer about several places. */
export type PlaceFacts = { name: string; facts: Fact[] }

const comparedFieldsMax = 3

/** Returns sentences that compare places, field by field, when the question asks for it: "Is rent higher in A than in B?" */
export function placeComparisonSentences(
  question: string,
  places: PlaceFacts[],
  { cite, units }: WritingOptions,
): string[] {
  const words = splitWords(question)
  if (!words.some((word) => comparisonWords.has(word) || /.{3}er$/.test(word))) return []
  // The location of the request is compared only when the question means it.
  const isHereMeant = places.length < 3 || words.some((word) => /^(?:here|this|my|our)$/.test(word))
  const compared = isHereMeant ? places : places.slice(0, -1)
  const names = compared[0]?.facts.map(({ field }) => field.name) ?? []
  return names
    .flatMap((name) => {
      const facts = compared.flatMap((place) => {
        const fact = place.facts.find(({ field, result }) => field.name === name && result.status === 'ok')
        return fact ? [{ place: place.name, fact }] : []
      })
      if (facts.length !== compared.length) return []
      const subject = capitalize(subjectOf(facts[0]!.fact.field))
      const citations = [...new Set(facts.map(({ fact }) => cite(fact)))].join('')
      const valueText = ({ field, result }: Fact) => formatValue(result.value!, field, { units })
      if (typeof facts[0]!.fact.result.value !== 'number')
        return [
          `${subject}: ${facts.map(({ place, fact }) => `${valueText(fact)} in ${place}`).join(', ')} ${citations}.`,
        ]
      const [most, ...others] = facts.toSorted((a, b) => Number(b.fact.result.value) - Number(a.fact.result.value))
      const verb = others[0]!.fact.result.value === most!.fact.result.value ? 'is the same in' : 'is greater in'
      return [
        `${subject} ${verb} ${most!.place}: ${valueText(most!.fact)}, compared with ${others.map(({ place, fact }) => `${valueText(fact)} in ${place}`).join(' and ')} ${citations}.`,
      ]
    })
    .slice(0, comparedFieldsMax)
}

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
