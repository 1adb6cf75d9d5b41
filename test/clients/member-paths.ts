import { isRecord } from '../../src/model/record.ts'

/** The JSON types that occur at each member path: `fields.*` for the members of a map, `results[]` for items. */
export type MemberTypes = Record<string, string[]>

/** The names of members that are maps: their members are data. */
const maps = new Set(['fields'])

/** Returns the member paths of a document with the types of their values. */
export function memberTypesOf(document: unknown): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>()
  visit(document, '')
  return types

  function visit(value: unknown, path: string): void {
    if (path !== '') {
      const known = types.get(path) ?? new Set()
      types.set(path, known.add(typeOf(value)))
    }
    if (Array.isArray(value)) value.forEach((item) => visit(item, `${path}[]`))
    else if (isRecord(value))
      for (const [name, member] of Object.entries(value)) {
        const isData = maps.has(path.split('.').at(-1)!)
        visit(member, `${path === '' ? '' : `${path}.`}${isData ? '*' : name}`)
      }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
