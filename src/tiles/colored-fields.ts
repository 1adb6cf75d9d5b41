import type { Field, ReadSpec } from '../catalog/records.ts'
import type { ColoredField } from './tile-json.ts'

/** Members of a read that leave the value of the attribute as it is, or replace codes with their labels. */
const plainMembers = new Set(['dataset', 'op', 'attribute', 'pick', 'fallback', 'classes', 'sentinels'])
/** In addition, members that leave the value of a number as it is. */
const plainNumberMembers = new Set([...plainMembers, 'cast', 'search_radii_m'])

/** Returns the fields that a map can color the features of a dataset by. */
export function coloredFieldsOf(dataset: string, fields: Iterable<Field>): ColoredField[] {
  return [...fields].flatMap((field) => {
    if (field.read.dataset !== dataset) return []
    return field.type === 'string' ? textField(field) : numberField(field)
  })
}

function textField(field: Field): ColoredField[] {
  const { read, name } = field
  if (read.op !== 'attribute' || read.attribute === undefined || !hasOnly(plainMembers, read)) return []
  const codes = typeof read.classes === 'object' ? read.classes : {}
  // A key with a wildcard stands for many codes.
  if (Object.keys(codes).some((code) => code.endsWith('*'))) return []
  return [{ name, attribute: read.attribute, classes: classesOf(field, codes), numbers: null }]
}

/** A number of the features at a point, or of the nearest one. Numbers that are codes have labels, and no ramp. */
function numberField({ read, name, type, unit, class_labels }: Field): ColoredField[] {
  const isNumber = (type === 'integer' || type === 'float') && class_labels === undefined && unit !== 'class'
  if (!isNumber || (read.op !== 'attribute' && read.op !== 'nearest_attribute')) return []
  if (read.attribute === undefined || !hasOnly(plainNumberMembers, read)) return []
  const no_value = (read.sentinels ?? []).filter((it) => typeof it === 'number')
  return [{ name, attribute: read.attribute, classes: [], numbers: { unit, no_value } }]
}

function hasOnly(members: ReadonlySet<string>, read: ReadSpec): boolean {
  return Object.keys(read).every((member) => members.has(member))
}

/** The values of the attribute with what they mean. `codes`: the labels of codes, which are the values of the field. */
function classesOf({ enum: values, class_labels: labels = {} }: Field, codes: Record<string, string>) {
  const textOf = (value: string) => (Object.hasOwn(labels, value) ? `${value}: ${labels[value]}` : value)
  const coded = Object.entries(codes).map(([code, label]) => ({ value: code, text: textOf(label) }))
  if (coded.length > 0) return coded
  return (values ?? Object.keys(labels)).map((value) => ({ value: String(value), text: textOf(String(value)) }))
}
