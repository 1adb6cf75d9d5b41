import { attributeOf, compareValues } from '../../geo/attribute.ts'
import { schemaChangedError } from '../../model/error.ts'
import { isPlaceholder, placeholderError } from '../../model/placeholder.ts'
import type { Properties, Value } from '../../model/source.ts'
import { t } from '../operator.ts'

/**
 * Sort rules that choose between several records: `name asc`, `name desc`, `name rank A,B,C`. The first rule has
 * precedence.
 */
export const pickSchema = t.Array(t.String({ pattern: '^.+ (asc|desc|rank .+)$' }))

type PropertiesComparator = (a: Properties, b: Properties) => number

/**
 * Sorts records by the rules; the sort is stable. Records without a value, or with a value without a rank, come last.
 */
export function orderByRules<T>(
  records: readonly T[],
  rules: readonly string[],
  propertiesOf: (record: T) => Properties,
): T[] {
  if (rules.length === 0 || records.length < 2) return [...records]
  for (const rule of rules) requireSortValues(rule, records.map(propertiesOf))
  const comparators = rules.map(comparatorOf)
  return records.toSorted((a, b) => {
    const [x, y] = [propertiesOf(a), propertiesOf(b)]
    return comparators.reduce((result, compare) => result || compare(x, y), 0)
  })
}

/**
 * Throws `schema_changed` if no record has the attribute of a rule, and `bad_value` for a placeholder: the order would
 * be arbitrary.
 */
function requireSortValues(rule: string, records: Properties[]): void {
  const name = rule.replace(/ (asc|desc|rank .+)$/, '')
  const values = records.map((properties) => attributeOf(properties, name))
  if (values.every((value) => value === undefined)) throw schemaChangedError([name], Object.keys(records[0]!))
  const placeholder = values.find((value) => value !== undefined && isPlaceholder(value))
  if (placeholder !== undefined) throw placeholderError(placeholder)
}

function comparatorOf(rule: string): PropertiesComparator {
  const [, name = '', direction, ranks] = /^(.+?) (asc|desc|rank) ?(.*)$/s.exec(rule) ?? []
  const rankOf =
    direction === 'rank' ? rankLookup(ranks!.split(',').map((rank) => rank.trim())) : (value: Value) => value
  const sign = direction === 'desc' ? -1 : 1
  return (a, b) => {
    const [x, y] = [rankOf(attributeOf(a, name) ?? null), rankOf(attributeOf(b, name) ?? null)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * compareValues(x, y) || 0
  }
}

function rankLookup(ranks: string[]): (value: Value) => number | null {
  return (value) => {
    const rank = ranks.indexOf(String(value))
    return rank < 0 ? null : rank
  }
}
