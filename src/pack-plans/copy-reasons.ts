import { canCopyArea, reasonAgainstCopy } from '../catalog/copy-rules.ts'
import type { Dataset } from '../catalog/records.ts'
import type { DriverName } from '../drivers/drivers.ts'

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
