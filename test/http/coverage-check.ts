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
type Texts = Record<string, string>
type CoverageParameter = {
  type: string
  id?: string
  label?: Texts
  description?: Texts
  unit?: { symbol?: string | { type: string; value: string }; label?: Texts }
  observedProperty: { id?: string; label: Texts; categories?: { id: string; label: Texts }[] }
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

/** A rule that a document may break, with what to say about it then. */
type Rule = [isKept: boolean, fault: string]

/** The axes of the domain types of the CoverageJSON community standard (OGC 21-069) that the service writes. */
const axesOf: Record<string, string[]> = {
  Point: ['x', 'y'],
  MultiPoint: ['composite'],
  Polygon: ['composite'],
  MultiPolygon: ['composite'],
}

/** Returns what the document lacks or has wrong, by the rules of OGC 21-069. */
export function coverageFaults({ type, domain, parameters, ranges }: CoverageJson): string[] {
  const rules: Rule[] = [
    [type === 'Coverage' && domain.type === 'Domain', 'The document is no Coverage with a Domain.'],
    ...domainRules(domain),
    ...Object.entries(parameters).flatMap(([name, parameter]) => parameterRules(name, parameter)),
    ...Object.entries(ranges).flatMap(([name, range]): Rule[] =>
      name in parameters ? rangeRules(name, range, parameters[name]!, domain) : [[false, `${name} has no parameter.`]],
    ),
  ]
  return rules.filter(([isKept]) => !isKept).map(([, fault]) => fault)
}

function domainRules({ domainType, axes, referencing }: CoverageJson['domain']): Rule[] {
  const expected = axesOf[domainType]
  if (!expected) return [[false, `Unknown domain type ${domainType}.`]]
  return [
    [isEqual(Object.keys(axes), expected), 'The domain has other axes.'],
    ...Object.entries(axes).flatMap(([name, axis]): Rule[] => [
      [axis.values.length > 0, `The axis ${name} has no value.`],
      [new Set(axis.values.map((it) => JSON.stringify(it))).size === axis.values.length, `${name} has equal values.`],
      ...(name === 'composite' ? compositeRules(axis, domainType) : singleRules(name, axis)),
    ]),
    [
      referencing.some(
        ({ coordinates, system }) => isEqual(coordinates, ['x', 'y']) && system.type === 'GeographicCRS',
      ),
      'x and y have no coordinate system.',
    ],
  ]
}

/** The axis of a point has one number, and no members but its values. */
function singleRules(name: string, axis: Axis): Rule[] {
  const { values } = axis
  return [
    [values.length === 1 && typeof values[0] === 'number', `The axis ${name} of a point has one number.`],
    [isEqual(Object.keys(axis), ['values']), `The axis ${name} has other members.`],
  ]
}

function compositeRules(axis: Axis, domainType: string): Rule[] {
  const isPoints = domainType === 'MultiPoint'
  const isPosition = (value: unknown) =>
    Array.isArray(value) && value.length === 2 && value.every((it) => typeof it === 'number')
  const isRing = (ring: unknown) =>
    Array.isArray(ring) && ring.length >= 4 && ring.every(isPosition) && isEqual(ring[0], ring.at(-1))
  const isPolygon = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isRing)
  return [
    [isEqual(Object.keys(axis).toSorted(), ['coordinates', 'dataType', 'values']), 'The axis has other members.'],
    [isEqual(axis.coordinates, ['x', 'y']), 'The axis has other coordinates.'],
    [axis.dataType === (isPoints ? 'tuple' : 'polygon'), 'The axis has another data type.'],
    [domainType !== 'Polygon' || axis.values.length === 1, 'The domain of a polygon has several.'],
    [axis.values.every(isPoints ? isPosition : isPolygon), 'A value of the axis is no position and no closed ring.'],
  ]
}

function parameterRules(name: string, parameter: CoverageParameter): Rule[] {
  const { type, id, label, description, unit, observedProperty, categoryEncoding } = parameter
  const { categories } = observedProperty
  const ids = (categories ?? []).map((it) => it.id)
  const texts = [label, description, unit?.label, observedProperty.label, ...(categories ?? []).map((it) => it.label)]
  const symbol = unit?.symbol
  return [
    [type === 'Parameter' && id === name, `${name} has another type or id.`],
    [
      texts.every((it) => it === undefined || (isEqual(Object.keys(it), ['en']) && typeof it.en === 'string')),
      `${name} has a text without its language.`,
    ],
    [observedProperty.label !== undefined, `${name} has no label of what is observed.`],
    [URL.canParse(observedProperty.id ?? ''), `What ${name} observes has no URI.`],
    [unit === undefined || categories === undefined, `${name} has a unit and categories.`],
    [unit === undefined || (symbol ?? unit.label) !== undefined, `The unit of ${name} has no symbol.`],
    [typeof symbol !== 'object' || (URL.canParse(symbol.type) && symbol.value !== ''), `${name} has no unit code.`],
    [categories?.length !== 0 && ids.every((it) => URL.canParse(it)), `A category of ${name} has no URI.`],
    [isEqual(Object.keys(categoryEncoding ?? {}), ids), `${name} does not encode its categories.`],
    [
      new Set(Object.values(categoryEncoding ?? {})).size === ids.length &&
        Object.values(categoryEncoding ?? {}).every(Number.isInteger),
      `${name} has codes that are no different integers.`,
    ],
  ]
}

function rangeRules(
  name: string,
  { type, dataType, axisNames = [], shape = [], values }: Range,
  { categoryEncoding }: CoverageParameter,
  { domainType, axes }: CoverageJson['domain'],
): Rule[] {
  const isOfType = (value: string | number | null) =>
    value === null ||
    (dataType === 'string' && typeof value === 'string') ||
    (dataType === 'float' && Number.isFinite(value)) ||
    (dataType === 'integer' && Number.isInteger(value))
  const isMulti = domainType.startsWith('Multi')
  const codes = categoryEncoding && Object.values(categoryEncoding)
  return [
    [type === 'NdArray' && ['float', 'integer', 'string'].includes(dataType), `${name} is no NdArray.`],
    [values.every(isOfType), `${name} has a value that is no ${dataType}.`],
    [
      isEqual(axisNames, isMulti ? ['composite'] : []) &&
        isEqual(shape, isMulti ? [axes.composite!.values.length] : []),
      `${name} has the shape [${shape.join()}] for the axes [${axisNames.join()}].`,
    ],
    [values.length === shape.reduce((size, length) => size * length, 1), `${name} has another size.`],
    [
      !codes || values.every((value) => value === null || codes.includes(value as number)),
      `${name} has a value without a category.`,
    ],
  ]
}

function isEqual(value: unknown, expected: unknown): boolean {
  return Bun.deepEquals(value, expected)
}
