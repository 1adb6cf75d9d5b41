import type { CatalogContents } from './records.ts'
import { readInputsOf, withNestedReads } from './read-spec.ts'

/** Fields that depend on each other are answered one inside the other. The built-in catalog has chains of four. */
const chainMax = 20

/** Errors for fields that depend on themselves, or on a chain of too many fields. */
export function cycleErrors({ fields }: CatalogContents): string[] {
  const inputs = new Map(
    fields.map((field) => [
      field.name,
      withNestedReads(field.read)
        .flatMap(readInputsOf)
        .filter((it) => typeof it === 'string'),
    ]),
  )
  const lengths = new Map<string, number>()
  const errors: string[] = []
  const measure = (name: string, path: string[]): number => {
    const known = lengths.get(name)
    if (known !== undefined) return known
    if (path.includes(name)) {
      errors.push(`field ${name} depends on itself: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}`)
      return 0
    }
    // Beyond the maximum, the length no longer matters, and a deeper search could exhaust the stack.
    const inner = path.length > chainMax ? [] : (inputs.get(name) ?? [])
    const length = 1 + Math.max(0, ...inner.map((it) => measure(it, [...path, name])))
    lengths.set(name, length)
    if (length > chainMax && path.length === 0)
      errors.push(`field ${name} depends on a chain of more than ${chainMax} fields`)
    return length
  }
  for (const { name } of fields) measure(name, [])
  return errors
}
