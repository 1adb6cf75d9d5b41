import type { Dashboard } from '../dashboard.ts'
import { humanizeName, fieldLabel } from '../value-text.ts'

/** The field of the address in words; without the unit in its name once the catalog has told what its unit is. */
export function fieldPageTitle({ router, catalogStore }: Pick<Dashboard, 'router' | 'catalogStore'>): string {
  const name = router.location.value.parts.field ?? ''
  const field = catalogStore.field(name)
  return field ? fieldLabel(name, field.unit) : humanizeName(name)
}
