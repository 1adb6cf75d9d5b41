import type { Catalog } from '../../src/catalog/catalog.ts'
import { readInputsOf } from '../../src/catalog/read-spec.ts'
import type { Field } from '../../src/catalog/records.ts'
import { isBuiltIn, reasonAgainstPack } from '../../src/pack-plans/copy-reasons.ts'
import { answerableFields } from '../../src/pack-plans/dataset-fields.ts'

/**
 * The fields that cannot be answered from the packs of an area, with the reason of each, in the order of the catalog.
 */
export function fieldsWithoutCopy(catalog: Catalog): { field: Field; reason: string }[] {
  const fields = [...catalog.fields.values()]
  const reasonOf = (dataset: string): string | null => {
    const record = catalog.datasets.get(dataset)!
    return isBuiltIn(record) ? null : reasonAgainstPack(record)
  }
  const answered = new Set(answerableFields(fields, (dataset) => reasonOf(dataset) === null, catalog))
  return fields
    .filter((field) => !answered.has(field))
    .map((field) => {
      const [own = null] = [field.read.dataset, ...inputDatasetsOf(field, catalog)].flatMap(
        (dataset) => reasonOf(dataset) ?? [],
      )
      return { field, reason: own ?? 'It is computed from a field that cannot be copied.' }
    })
}

/** The datasets that the inputs of a field read. */
function inputDatasetsOf({ read }: Field, catalog: Catalog): string[] {
  return readInputsOf(read).flatMap((input) =>
    typeof input === 'string' ? (catalog.fields.get(input)?.read.dataset ?? []) : input.dataset,
  )
}
