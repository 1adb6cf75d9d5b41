import type { Dashboard } from '../dashboard.ts'
import { titleOf, wordsOf } from '../parts/value.ts'

/** The field of the address in words; without the unit in its name once the catalog has told what its unit is. */
export function fieldTitle({ address, library }: Pick<Dashboard, 'address' | 'library'>): string {
  const name = address.at.value.parts.field ?? ''
  const field = library.field(name)
  return field ? wordsOf(name, field.unit) : titleOf(name)
}
