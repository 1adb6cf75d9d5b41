import type { Catalog } from '../catalog/catalog.ts'
import { canCopyArea, reasonAgainstCopy } from '../catalog/copy-rules.ts'
import { readInputsOf } from '../catalog/read-spec.ts'
import type { Dataset, Field } from '../catalog/records.ts'
import type { DriverName } from '../drivers/drivers.ts'
import { answerableFields } from './dataset-fields.ts'

/** Whether the executable has the data: no other source comes first. */
export function isBuiltIn({ serve }: Dataset): boolean {
  const [first] = serve.filter(({ driver }) => driver !== 'pack')
  return first?.driver === 'embedded' || first?.driver === 'computed'
}

/** Why no command makes a pack of a dataset for an area, as a sentence; null if one does. */
export function reasonAgainstPack(dataset: Dataset): string | null {
  const reason = reasonAgainstCopy(dataset)
  if (reason !== null || dataset.recipe || canCopyArea(dataset)) return reason
  return missingHarvestReason(dataset)
}

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

const reasonsByDriver: Partial<Record<DriverName, string>> = {
  wms_feature_info: 'Its service answers only one point of a map per request.',
  stac: 'Its scenes are searched for each place.',
  rest: 'Its service answers one place per request.',
  rest_text: 'Its service answers one place per request.',
}

/** Why no driver of the dataset can copy its data. */
function missingHarvestReason({ serve, bulk }: Dataset): string {
  const reason = serve.flatMap(({ driver }) => reasonsByDriver[driver] ?? [])[0]
  const hasPack = serve.some(({ driver }) => driver === 'pack')
  const build = hasPack ? ' Build its pack from a file of the publisher with `fieldstone pack build`.' : ''
  return `${reason ?? 'Its service cannot be copied by area.'}${bulk === null ? '' : build}`
}
