import { requireAttribute } from '../../geo/attribute.ts'
import type { Properties, Value } from '../../model/source.ts'
import { isPlaceholder, placeholderError } from '../../model/placeholder.ts'
import { compileFormula } from '../expression.ts'
import { isSentinel } from './clean-value.ts'

type RawValueArgs = { attribute?: string; expression?: string; sentinels?: readonly (string | number)[] }

/**
 * An attribute of a feature as it is published, or a formula over its attributes. Blank text is null in it.
 * @throws {UpstreamError} `schema_changed` if the feature lacks an attribute, and `bad_value` if a formula would compute
 * with a boolean, or with a placeholder that is no sentinel.
 */
export function rawValueOf(properties: Properties, { attribute, expression, sentinels = [] }: RawValueArgs): Value {
  if (attribute !== undefined) return requireAttribute(properties, attribute)
  if (expression === undefined) throw new Error('The operation has no `attribute` or `expression`. Set one of them.')
  return compileFormula(expression)((name) => {
    const value = requireAttribute(properties, name)
    if (typeof value === 'boolean' || (isPlaceholder(value) && !isSentinel(value, sentinels)))
      throw placeholderError(value)
    return typeof value === 'string' && value.trim() === '' ? null : value
  })
}
