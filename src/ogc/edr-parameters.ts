import { fieldTitleOf } from '../catalog/field-title.ts'
import type { Field } from '../catalog/records.ts'
import { ucumCodeOf, unitsWithoutQuantity } from './ucum.ts'

/** The system of the unit codes. */
const ucum = 'http://www.opengis.net/def/uom/UCUM/'

/** The categories of a boolean: the position of each is its code. Their ids are URIs, as the standard requires. */
const booleanCategories = [
  { id: 'https://schema.org/False', label: 'false' },
  { id: 'https://schema.org/True', label: 'true' },
]

/** The type of the values of a parameter. */
type EdrDataType = 'float' | 'integer' | 'string'

/** A unit: what people call it, and its code. */
type EdrUnit = { label: string; symbol: string | { value: string; type: string } }

/** A field as a parameter of OGC API – EDR. CoverageJSON has the same members, with texts by language. */
export interface EdrParameter {
  type: 'Parameter'
  id: string
  label: string
  description: string
  'data-type': EdrDataType
  unit?: EdrUnit
  observedProperty: { id: string; label: string; categories?: { id: string; label: string }[] }
}

/** Returns a field as a parameter. `catalog_url` is the address of the catalog as linked data. */
export function edrParameterOf(field: Field, catalog_url: string): EdrParameter {
  const { name, description } = field
  const label = fieldTitleOf(field)
  const unit = unitOf(field)
  return {
    type: 'Parameter',
    id: name,
    label,
    description,
    'data-type': dataTypeOf(field),
    ...(unit && { unit }),
    observedProperty: {
      id: `${catalog_url}#${name}`,
      label,
      ...(field.type === 'boolean' && { categories: booleanCategories }),
    },
  }
}

/** Returns the parameter of CoverageJSON. The values of a boolean are the codes 0 and 1 of its categories. */
export function coverageParameterOf({ id, label, description, unit, observedProperty }: EdrParameter) {
  const { categories } = observedProperty
  return {
    type: 'Parameter',
    id,
    label: { en: label },
    description: { en: description },
    ...(unit && { unit: { label: { en: unit.label }, symbol: unit.symbol } }),
    observedProperty: {
      id: observedProperty.id,
      label: { en: observedProperty.label },
      ...(categories && { categories: categories.map((it) => ({ id: it.id, label: { en: it.label } })) }),
    },
    ...(categories && { categoryEncoding: Object.fromEntries(categories.map(({ id }, code) => [id, code])) }),
  }
}

/** Returns a value as CoverageJSON has it: 0 or 1 for a boolean, a text for a list. */
export function coverageValueOf(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (Array.isArray(value)) return value.join(';')
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

function dataTypeOf({ type }: Field): EdrDataType {
  if (type === 'float') return 'float'
  return type === 'integer' || type === 'boolean' ? 'integer' : 'string'
}

function unitOf({ unit, type }: Field): EdrUnit | null {
  const isQuantity = type === 'float' || type === 'integer'
  if (!isQuantity || (unit !== null && unitsWithoutQuantity.includes(unit))) return null
  if (unit === null) return null
  const value = ucumCodeOf(unit)
  // A unit of an operator's own field may have no code.
  return { label: unit, symbol: value === undefined ? unit : { value, type: ucum } }
}
