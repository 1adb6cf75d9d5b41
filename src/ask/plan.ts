import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'

/** How many fields one question is answered from. */
export const planFieldsMax = 15

/** Which fields answer a question, why these, and whether they were found by more than words that occur in them. */
export type Plan = { fields: Field[]; preset: string | null; reasoning: string; isSure: boolean }

/** A plan of known fields alone: the preset's own, then those that are named; each once, fifteen at most. */
export function planOf(
  names: Iterable<string>,
  { preset, reasoning, isSure }: Omit<Plan, 'fields'>,
  { fields }: Catalog,
): Plan {
  const known = [...new Set(names)].flatMap((name) => fields.get(name) ?? [])
  return { fields: known.slice(0, planFieldsMax), preset, reasoning, isSure }
}
