import { subjectOf } from '../planner/subject.ts'
import type { AnswerContent } from './answer-content.ts'

/**
 * Returns the lines before the values: corrected words, words that no field answers, places that could not be located,
 * and publishers that billed a call.
 */
export function leadLinesOf({
  facts,
  location = 'the location of this question',
  otherPlaces = [],
  unlocatedNames = [],
  billedBy = [],
  plan,
}: AnswerContent): string[] {
  const corrections = plan?.corrections ?? []
  return [
    ...(corrections.length > 0
      ? [`Read ${corrections.map(({ from, to }) => `"${from}" as "${to}"`).join(', ')}.`]
      : []),
    ...unlocatedNames.map(
      (name) => `You asked about ${name}, which could not be located. This answer is for ${location}.`,
    ),
    ...(otherPlaces.length > 0 && plan?.relevance !== 'low'
      ? [
          `You asked about ${joinNames(otherPlaces.map(({ name }) => name))}. This answer also covers ${location}, the location of the request.`,
        ]
      : []),
    ...relevanceLines(plan, facts.length > 0),
    ...billedBy.map((publisher) => `${publisher} billed this server for the parcel record in this answer.`),
  ]
}

function relevanceLines(plan: AnswerContent['plan'], hasFacts: boolean): string[] {
  const unknown = (plan?.unknownWords ?? []).map((it) => (it.includes(' ') ? `"${it}"` : it))
  const missing = unknown.length > 0 ? `Fieldstone has no field for ${joinNames(unknown)}.` : null
  if (hasFacts) {
    if (plan?.relevance === 'low') return [`${missing ?? 'No field answers this question directly.'} Related values:`]
    return missing ? [missing] : []
  }
  const related = (plan?.related ?? []).map(subjectOf)
  if (missing === null)
    return [
      'The catalog has no field that this question asks for. Ask for a fact, such as the elevation, the flood zone or the nearest hospital.',
    ]
  return [related.length > 0 ? `${missing} Related: ${related.join(', ')}.` : missing]
}

/** Joins names with commas and a last "and". */
export function joinNames(names: string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}` : (names[0] ?? '')
}
