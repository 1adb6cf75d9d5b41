import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import type { PlaceMention } from './place-names.ts'
import type { Correction } from './spelling.ts'

/** The maximum number of fields that one question is answered from. */
export const planFieldsMax = 15

/**
 * How well the fields cover the main words of the question. high: all of them; medium: all, but some only weakly, by a
 * full-text search; low: a main word is unknown, or the fields are only suggested.
 */
export type Relevance = 'high' | 'medium' | 'low'

/** The fields that answer a question, with the reasoning. */
export type Plan = {
  fields: Field[]
  preset: string | null
  reasoning: string
  relevance: Relevance
  /** Main words of the question that no field covers. */
  unknownWords: string[]
  /** Fields near the subject of the question, when no field answers it. */
  related: Field[]
  corrections: Correction[]
  /** Places that the question names. */
  places: PlaceMention[]
}

/** Creates a plan of known fields without duplicates: the preset's first, at most `planFieldsMax`. */
export function planOf(
  names: Iterable<string>,
  { preset, reasoning, relevance, ...more }: Pick<Plan, 'preset' | 'reasoning' | 'relevance'> & Partial<Plan>,
  { fields }: Catalog,
): Plan {
  const known = [...new Set(names)].flatMap((name) => fields.get(name) ?? [])
  return {
    unknownWords: [],
    related: [],
    corrections: [],
    places: [],
    ...more,
    fields: known.slice(0, planFieldsMax),
    preset,
    reasoning,
    relevance,
  }
}
