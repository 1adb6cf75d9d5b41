import type { SourcesDocument, SourceStatus } from '../catalog/sources-document.ts'
import type { RunReport } from './run-report.ts'

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
  /** The commands that build the packs, for the remedy `packs`. */
  commands: string[]
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
    const remedy = retryable ? 'retry' : remedyOf(datasets)
    const settings = [...new Set(datasets.flatMap(({ missing }) => missing?.setting ?? []))]
    const key = remedy === 'setting' ? `setting ${settings.join()}` : (remedy ?? `${error} ${source}`)
    const group = groups.get(key) ?? { remedy, ...emptyGroup(), message }
    addUnique(group.titles, datasets.length > 0 ? datasets.map(({ title }) => title) : [source ?? error])
    addUnique(group.errors, [error])
    addUnique(group.fields, fields)
    addUnique(group.settings, settings)
    if (remedy === 'packs')
      addUnique(
        group.commands,
        datasets.flatMap(({ missing }) => missing?.command ?? []),
      )
    group.values += values
    groups.set(key, group)
  }
  return [...groups.values()]
}

function remedyOf(datasets: SourceStatus[]): Remedy {
  if (datasets.some(({ missing }) => missing?.command)) return 'packs'
  return datasets.some(({ missing }) => missing?.setting) ? 'setting' : null
}

function emptyGroup(): Omit<MissingGroup, 'remedy' | 'message'> {
  return { titles: [], errors: [], fields: [], values: 0, commands: [], settings: [] }
}

function addUnique(list: string[], items: string[]): void {
  for (const item of items) if (!list.includes(item)) list.push(item)
}
