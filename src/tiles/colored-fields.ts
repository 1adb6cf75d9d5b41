import type { Field } from '../catalog/records.ts'
import type { ColoredField } from './tile-json.ts'

/** Members of a read that leave the value of the attribute as it is, or replace codes with their labels. */
const plainMembers = new Set(['dataset', 'op', 'attribute', 'pick', 'fallback', 'classes', 'sentinels'])

/** Returns the fields that a map can color the features of a dataset by. */
export function coloredFieldsOf(dataset: string, fields: Iterable<Field>): ColoredField[] {
  return [...fields].flatMap((field) => {
    const { read, type, name } = field
    const isPlain = read.op === 'attribute' && Object.keys(read).every((member) => plainMembers.has(member))
    if (!isPlain || read.dataset !== dataset || type !== 'string' || read.attribute === undefined) return []
    const codes = typeof read.classes === 'object' ? read.classes : {}
    // A key with a wildcard stands for many codes.
    if (Object.keys(codes).some((code) => code.endsWith('*'))) return []
    return [{ name, attribute: read.attribute, classes: classesOf(field, codes) }]
  })
}

/** The values of the attribute with what they mean. `codes`: the labels of codes, which are the values of the field. */
function classesOf({ enum: values, class_labels: labels = {} }: Field, codes: Record<string, string>) {
  const textOf = (value: string) => (Object.hasOwn(labels, value) ? `${value}: ${labels[value]}` : value)
  const coded = Object.entries(codes).map(([code, label]) => ({ value: code, text: textOf(label) }))
  if (coded.length > 0) return coded
  return (values ?? Object.keys(labels)).map((value) => ({ value: String(value), text: textOf(String(value)) }))
}
