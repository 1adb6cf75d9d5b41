import type { Dashboard } from '../dashboard.ts'
import { humanizeName, fieldLabel } from '../value-text.ts'

/** Returns the title of the field in the URL. The unit is dropped from it once the catalog is loaded. */
export function fieldPageTitle({ router, catalogStore }: Pick<Dashboard, 'router' | 'catalogStore'>): string {
  const name = router.location.value.parts.field ?? ''
  const field = catalogStore.field(name)
  return field ? fieldLabel(name, field.unit) : humanizeName(name)
}
