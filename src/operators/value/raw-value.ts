import { requireAttribute } from '../../geo/attribute.ts'
import type { Properties, Value } from '../../model/source.ts'
import { compileFormula } from '../expression.ts'

/**
 * An attribute of a feature as it is published, or a formula over its attributes.
 * @throws {UpstreamError} `schema_changed` if the feature lacks an attribute.
 */
export function rawValueOf(
  properties: Properties,
  { attribute, expression }: { attribute?: string; expression?: string },
): Value {
  if (attribute !== undefined) return requireAttribute(properties, attribute)
  if (expression === undefined) throw new Error('The operation has no `attribute` or `expression`. Set one of them.')
  return compileFormula(expression)((name) => requireAttribute(properties, name))
}
