import type { SourcesDocument, SourceStatus } from '../../catalog/meta-documents.ts'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import type { FieldErrorGroup, RunReport } from './run-report.ts'

/** What gets missing values: a retry, packs that commands build, a setting; null if nothing of these helps. */
type Remedy = 'retry' | 'packs' | 'setting' | null

/** Missing values that have the same remedy. */
export type MissingGroup = {
  remedy: Remedy
  /** The titles of the datasets, or the identifiers of sources whose dataset is unknown. */
  titles: string[]
  errors: string[]
  fields: string[]
  values: number
  /** The fields among them whose data `pack fetch` gets. */
  fetchable_fields: string[]
  /** The settings that allow the network, or hold the keys. */
  settings: string[]
  /** The first error message, for values without a remedy. */
  message: string
}

/** Groups the failed fields of a run by what would get their values. */
export function missingGroupsOf(
  { field_errors }: Pick<RunReport, 'field_errors'>,
  { sources }: Pick<SourcesDocument, 'sources'>,
): MissingGroup[] {
  const groups = new Map<string, MissingGroup>()
  for (const { error, source, message, retryable, fields, values } of field_errors) {
    const datasets = sources.filter((it) => it.fields.some((field) => fields.includes(field)))
    const wouldDataHelp = retryable || localDataErrors.has(error)
    const fetchable = datasets.filter(
      (it) => it.missing?.command || (wouldDataHelp && (it.fetchable || isComputed(it))),
    )
    const remedy = retryable ? 'retry' : fetchable.length > 0 ? 'packs' : remedyOf(datasets)
    const settings = [...new Set(datasets.flatMap(({ missing }) => missing?.setting ?? []))]
    const key = remedy === 'setting' ? `setting ${settings.join()}` : (remedy ?? `${error} ${source}`)
    const group = groups.get(key) ?? { remedy, ...emptyGroup(), message }
    addUnique(group.titles, datasets.length > 0 ? datasets.map(({ title }) => title) : [source ?? error])
    addUnique(group.errors, [error])
    addUnique(group.fields, fields)
    addUnique(group.settings, error === 'offline_no_data' ? ['FIELDSTONE_OFFLINE', ...settings] : settings)
    addUnique(
      group.fetchable_fields,
      fields.filter((field) => fetchable.some((it) => it.fields.includes(field))),
    )
    group.values += values
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Whether the data must come from another machine: the network is switched off here, or perhaps dead. */
export function needsOtherMachine({ remedy, settings }: MissingGroup): boolean {
  return remedy === 'retry' || settings.includes('FIELDSTONE_OFFLINE')
}

/** How far around places data is copied, besides the distance that fields search. */
export const siteRadius = '1km'

/** A failed field of a single answer as a group. */
export function errorGroupOf({
  field,
  source,
  error,
  retryable,
}: FetchAnswer['partial_failures'][number]): FieldErrorGroup {
  const [code = error, ...rest] = error.split(': ')
  return { error: code, source, message: rest.join(': '), retryable, fields: [field], values: 1 }
}

/** The errors of fields that a pack can answer. */
const localDataErrors = new Set(['offline_no_data', 'no_local_data'])

/** Whether fields of a dataset are computed from others: the data of those helps, and `pack fetch` gets it. */
function isComputed({ drivers }: SourceStatus): boolean {
  return drivers.every(({ driver }) => driver === 'computed')
}

function remedyOf(datasets: SourceStatus[]): Remedy {
  return datasets.some(({ missing }) => missing?.setting) ? 'setting' : null
}

function emptyGroup(): Omit<MissingGroup, 'remedy' | 'message'> {
  return { titles: [], errors: [], fields: [], values: 0, fetchable_fields: [], settings: [] }
}

function addUnique(list: string[], items: string[]): void {
  for (const item of items) if (!list.includes(item)) list.push(item)
}
