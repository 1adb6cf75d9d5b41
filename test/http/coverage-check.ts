/** The parts of a CoverageJSON document that the tests read. */
export type CoverageJson = {
  type: string
  domain: { type: string; domainType: string; axes: Record<string, Axis>; referencing: Referencing[] }
  parameters: Record<string, CoverageParameter>
  ranges: Record<string, Range>
  [member: `${string}:${string}`]: unknown
}
type Axis = { dataType?: string; coordinates?: string[]; values: unknown[] }
type Referencing = { coordinates: string[]; system: { type: string; id?: string } }
type CoverageParameter = {
  type: string
  unit?: { symbol?: string | { type: string; value: string }; label?: object }
  observedProperty: { id?: string; label: Record<string, string>; categories?: { id: string; label: object }[] }
  categoryEncoding?: Record<string, number>
  measurementType?: { method: string }
}
type Range = {
  type: string
  dataType: string
  axisNames?: string[]
  shape?: number[]
  values: (string | number | null)[]
}

/** The axes of the domain types of the CoverageJSON community standard (OGC 21-069) that the service writes. */
const axesOf: Record<string, string[]> = {
  Point: ['x', 'y'],
  MultiPoint: ['composite'],
  Polygon: ['composite'],
  MultiPolygon: ['composite'],
}

/** Returns what the document lacks or has wrong, by the rules of OGC 21-069. */
export function coverageFaults({ type, domain, parameters, ranges }: CoverageJson): string[] {
  return [
    ...(type === 'Coverage' && domain.type === 'Domain' ? [] : ['The document is no Coverage with a Domain.']),
    ...domainFaults(domain),
    ...Object.entries(parameters).flatMap(([name, parameter]) => parameterFaults(name, parameter)),
    ...Object.entries(ranges).flatMap(([name, range]) =>
      name in parameters ? rangeFaults(name, range, parameters[name]!, domain) : [`${name} has no parameter.`],
    ),
  ]
}

function domainFaults({ domainType, axes, referencing }: CoverageJson['domain']): string[] {
  const expected = axesOf[domainType]
  if (!expected) return [`Unknown domain type ${domainType}.`]
  const isPoint = domainType === 'Point'
  const composite = axes.composite
  return [
    ...(JSON.stringify(Object.keys(axes)) === JSON.stringify(expected) ? [] : ['The domain has other axes.']),
    ...(isPoint &&
    !expected.every((name) => axes[name]?.values.length === 1 && typeof axes[name].values[0] === 'number')
      ? ['The axes of a point have one number each.']
      : []),
    ...(!isPoint && JSON.stringify(composite?.coordinates) !== '["x","y"]' ? ['The axis has other coordinates.'] : []),
    ...(!isPoint && composite?.dataType !== (domainType === 'MultiPoint' ? 'tuple' : 'polygon')
      ? ['The axis has another data type.']
      : []),
    ...(domainType.endsWith('Polygon') &&
    !(axes.composite!.values as number[][][][]).every((rings) => rings.every(isClosed))
      ? ['A ring is not closed.']
      : []),
    ...(referencing.some(({ coordinates, system }) => coordinates.join() === 'x,y' && system.type === 'GeographicCRS')
      ? []
      : ['x and y have no coordinate system.']),
  ]
}

function isClosed(ring: number[][]): boolean {
  return ring.length >= 4 && JSON.stringify(ring[0]) === JSON.stringify(ring.at(-1))
}

function parameterFaults(name: string, { type, unit, observedProperty, categoryEncoding }: CoverageParameter) {
  const { categories, label } = observedProperty
  const ids = new Set((categories ?? []).map(({ id }) => id))
  return [
    ...(type === 'Parameter' && typeof label.en === 'string' ? [] : [`${name} has no type or label.`]),
    ...(unit && categories ? [`${name} has a unit and categories.`] : []),
    ...(unit && unit.symbol === undefined && unit.label === undefined ? [`The unit of ${name} has no symbol.`] : []),
    ...(Object.keys(categoryEncoding ?? {}).every((id) => ids.has(id)) ? [] : [`${name} encodes unknown categories.`]),
  ]
}

function rangeFaults(
  name: string,
  { type, dataType, axisNames = [], shape = [], values }: Range,
  { categoryEncoding }: CoverageParameter,
  { domainType, axes }: CoverageJson['domain'],
): string[] {
  const isOfType = (value: string | number | null) =>
    value === null ||
    (dataType === 'string' ? typeof value === 'string' : typeof value === 'number') ||
    (dataType === 'integer' && Number.isInteger(value))
  const expectedShape = domainType.startsWith('Multi') ? [axes.composite!.values.length] : []
  const codes = categoryEncoding && Object.values(categoryEncoding)
  return [
    ...(type === 'NdArray' && ['float', 'integer', 'string'].includes(dataType) ? [] : [`${name} is no NdArray.`]),
    ...(values.every(isOfType) ? [] : [`${name} has a value that is no ${dataType}.`]),
    ...(axisNames.length === shape.length && JSON.stringify(shape) === JSON.stringify(expectedShape)
      ? []
      : [`${name} has the shape [${shape.join()}] for the axes [${axisNames.join()}].`]),
    ...(values.length === shape.reduce((size, length) => size * length, 1) ? [] : [`${name} has another size.`]),
    ...(codes && !values.every((value) => value === null || codes.includes(value as number))
      ? [`${name} has a value without a category.`]
      : []),
  ]
}
