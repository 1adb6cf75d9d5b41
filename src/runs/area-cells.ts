import { isRecord } from '../model/record.ts'

/**
 * Returns the cell of a result file for the value of a field in an area: the classes with their shares, the share for
 * which the field is true, the mean, the distance, the count, or the units with their values. The entries of the run
 * have all members.
 */
export function areaCellOf(value: unknown): string | number | boolean | null {
  if (!isRecord(value)) return null
  if (Array.isArray(value.classes)) return listOf(value.classes, ({ value: name, share }) => `${name}=${share}`)
  if (Array.isArray(value.units) && typeof value.apportioned_sum !== 'number')
    return listOf(value.units, ({ key, value: ofUnit }) => `${key}=${ofUnit}`)
  for (const name of mainMembers) {
    const member = value[name]
    if (typeof member === 'number' || typeof member === 'string' || typeof member === 'boolean') return member
  }
  return null
}

/** The first of these that a value has is its cell. `value` is that of the nearest feature, or of a point. */
const mainMembers = ['share_true', 'mean', 'value', 'distance_m', 'count', 'apportioned_sum']

function listOf(entries: unknown[], textOf: (entry: Record<string, string | number>) => string): string {
  return entries.map((entry) => textOf(entry as Record<string, string | number>)).join('; ')
}
