import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'

/** The most fields that one question is answered from. */
export const planFieldsMax = 15

/**
 * The fields that answer a question, with the reasoning. `isSure` is false when they were found only by full-text
 * search.
 */
export type Plan = { fields: Field[]; preset: string | null; reasoning: string; isSure: boolean }

/** Creates a plan of known fields without duplicates: the preset's first, at most `planFieldsMax`. */
export function planOf(
  names: Iterable<string>,
  { preset, reasoning, isSure }: Omit<Plan, 'fields'>,
  { fields }: Catalog,
): Plan {
  const known = [...new Set(names)].flatMap((name) => fields.get(name) ?? [])
  return { fields: known.slice(0, planFieldsMax), preset, reasoning, isSure }
}
