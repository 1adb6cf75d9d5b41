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
  /** The commands that build the packs, for the remedy `packs`. */
  commands: string[]
  /** The fields among them whose data one `pack fetch` copies for the area of any places. */
  fetchable_fields: string[]
  /** The commands that build the other packs. */
  other_commands: string[]
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
    const fetchable = localDataErrors.has(error) ? datasets.filter((it) => it.fetchable) : []
    const remedy = retryable ? 'retry' : fetchable.length > 0 ? 'packs' : remedyOf(datasets)
    const settings = [...new Set(datasets.flatMap(({ missing }) => missing?.setting ?? []))]
    const key = remedy === 'setting' ? `setting ${settings.join()}` : (remedy ?? `${error} ${source}`)
    const group = groups.get(key) ?? { remedy, ...emptyGroup(), message }
    addUnique(group.titles, datasets.length > 0 ? datasets.map(({ title }) => title) : [source ?? error])
    addUnique(group.errors, [error])
    addUnique(group.fields, fields)
    addUnique(group.settings, settings)
    if (remedy === 'packs') addPackCommands(group, datasets, fetchable)
    group.values += values
    groups.set(key, group)
  }
  return [...groups.values()]
}

/**
 * One command for everything that `pack fetch` copies for places, and the commands for the other packs. `places`: its
 * flags that name them, null if they are not known.
 */
export function packCommandsOf(
  { commands, fetchable_fields, other_commands }: MissingGroup,
  places: string | null,
): string[] {
  if (places === null || fetchable_fields.length === 0) return commands
  return [packFetchCommand(fetchable_fields, places), ...other_commands]
}

/** The command that copies the data of fields for places. `places`: its flags that name them. */
export function packFetchCommand(fields: readonly string[], places: string): string {
  return `fieldstone pack fetch --fields ${fields.join(',')} ${places}`
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

function addPackCommands(group: MissingGroup, datasets: SourceStatus[], fetchable: SourceStatus[]): void {
  const commandsOf = (list: SourceStatus[]) => list.flatMap(({ missing }) => missing?.command ?? [])
  addUnique(group.commands, commandsOf(datasets))
  addUnique(group.other_commands, commandsOf(datasets.filter((it) => !fetchable.includes(it))))
  for (const { fields } of fetchable)
    addUnique(
      group.fetchable_fields,
      group.fields.filter((field) => fields.includes(field)),
    )
}

function remedyOf(datasets: SourceStatus[]): Remedy {
  if (datasets.some(({ missing }) => missing?.command)) return 'packs'
  return datasets.some(({ missing }) => missing?.setting) ? 'setting' : null
}

function emptyGroup(): Omit<MissingGroup, 'remedy' | 'message'> {
  return {
    titles: [],
    errors: [],
    fields: [],
    values: 0,
    commands: [],
    fetchable_fields: [],
    other_commands: [],
    settings: [],
  }
}

function addUnique(list: string[], items: string[]): void {
  for (const item of items) if (!list.includes(item)) list.push(item)
}
