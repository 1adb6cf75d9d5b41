import type { CatalogContents } from './records.ts'

/** Errors of synonyms and of words with related fields: unknown fields, and phrases that are both. */
export function synonymErrors({ synonyms, looseSynonyms, relatedFields, fields }: CatalogContents): string[] {
  const names = new Set(fields.map((field) => field.name))
  const unknownFields = (kind: string, phrases: Record<string, string[]>) =>
    Object.entries(phrases).flatMap(([phrase, fieldNames]) =>
      fieldNames.filter((name) => !names.has(name)).map((name) => `${kind} ${phrase}: unknown field ${name}`),
    )
  return [
    ...unknownFields('synonym', synonyms),
    ...unknownFields('related fields of', relatedFields),
    ...looseSynonyms
      .filter((phrase) => !Object.hasOwn(synonyms, phrase))
      .map((phrase) => `loose synonym ${phrase}: the phrase is not in the list of synonyms`),
    ...Object.keys(relatedFields)
      .filter((phrase) => Object.hasOwn(synonyms, phrase))
      .map((phrase) => `related fields of ${phrase}: the phrase is also a synonym`),
  ]
}

/** Errors of labels: unknown fields, and classes that the enum of the field does not have. */
export function labelErrors({ fields, fieldLabels, classLabels }: CatalogContents): string[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const unknown = [...Object.keys(fieldLabels), ...Object.keys(classLabels)].filter((name) => !byName.has(name))
  return [
    ...unknown.map((name) => `label of ${name}: unknown field`),
    ...Object.entries(classLabels).flatMap(([name, labels]) => {
      const classes = byName.get(name)?.enum?.map(String)
      return classes === undefined
        ? []
        : Object.keys(labels)
            .filter((it) => !classes.includes(it))
            .map((it) => `class labels of ${name}: ${it} is not in its enum`)
    }),
  ]
}
