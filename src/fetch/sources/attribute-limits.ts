import { andThen } from '../../async/maybe-promise.ts'
import type { AttributeLimit, Dataset } from '../../catalog/records.ts'
import { attributeOf, numberOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { AnySource, Budget, Properties, Value } from '../../model/source.ts'
import { isSentinel } from '../../operators/value/clean-value.ts'
import { compileFlagValues, withoutBlanks } from '../../operators/value/flag.ts'

/**
 * Wraps a source of features so that it fails with `bad_value` if an attribute has a value that the dataset says it
 * cannot have. Conditions, orders and formulas would else leave out such a feature.
 */
export function withAttributeLimits(source: AnySource, { attribute_limits, sentinels = [] }: Dataset): AnySource {
  if (attribute_limits === undefined) return source
  const limits = Object.entries(attribute_limits).map(([name, limit]) => [name, compileLimit(limit)] as const)
  const requireAllowed = (properties: Properties) => {
    for (const [name, isAllowed] of limits) {
      const value = attributeOf(properties, name)
      if (value === undefined || isSentinel(value, sentinels)) continue
      if (!isAllowed(withoutBlanks(value)))
        throw new UpstreamError('bad_value', `The source returned ${JSON.stringify(value)}, which ${name} cannot be.`)
    }
  }
  return (query: never, budget: Budget) =>
    andThen(source(query, budget) as Promise<unknown>, (data) => {
      if (Array.isArray(data))
        for (const feature of data as unknown[])
          if (isRecord(feature) && isRecord(feature.properties)) requireAllowed(feature.properties as Properties)
      return data
    })
}

function compileLimit(limit: AttributeLimit): (value: Value) => boolean {
  if (Array.isArray(limit)) return compileFlagValues(limit)
  if ('matches' in limit) {
    const matches = compileFlagValues(limit)
    return (value) => value === null || matches(value)
  }
  const { range, or = [] } = limit
  return (value) => {
    const number = value === null ? range[0] : (numberOf(value) ?? NaN)
    return or.includes(number) || (number >= range[0] && number <= range[1])
  }
}
