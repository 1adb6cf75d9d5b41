import { UpstreamError } from '../model/error.ts'
import type { Budget, Properties } from '../model/source.ts'
import { fillUrl, placeholdersIn } from './url-template.ts'
import { defineDriver, t, type DatasetInfo, type DriverDeps } from './driver.ts'
import { fetchNewestEdition, createTableFile } from './table-file.ts'
import { joinEditions, normalizeKey, parseRowsByKey, type TableFormat } from './table-rows.ts'

const config = t.Object({
  asset: t.String(),
  json_path: t.Optional(t.String()),
  encoding: t.Optional(t.Literal('windows-1252')),
  /** Lines of text above the rows (with `columns`), or above the line of names. */
  header_lines: t.Optional(t.Integer()),
  preamble_rows: t.Optional(t.Integer()),
  sheet: t.Optional(t.String()),
  /** The names of the columns, for a file that has none. */
  columns: t.Optional(t.Array(t.String())),
  /** The columns that make the key when they are joined; without them the column of the county code. */
  key_columns: t.Optional(t.Array(t.String())),
  /** How many digits the codes have that the table may hold as numbers (5, those of a county); 0: they stand as they are. */
  key_digits: t.Optional(t.Integer()),
  /** The key is made of names: case, accents, marks and the short form of Saint make no difference. */
  key_of_names: t.Optional(t.Boolean()),
  /** How many yearly editions are joined; the columns of the year before end in `_prior`. */
  editions: t.Optional(t.Integer()),
  note: t.Optional(t.String()),
})

/**
 * A published table, read by key. One that comes as a whole is downloaded, kept in the data folder and renewed when the time of its dataset is
 * up; one that has a file for each key is asked for that. `{year}` and `{quarter}` are the newest that are out.
 */
export const tableDriver = defineDriver({
  shapes: ['document'],
  config,
  open(settings, _shape, deps, dataset) {
    const host = new URL(settings.asset.replace(/[{}]/g, '')).host
    if (placeholdersIn(settings.asset).some((name) => name !== 'year' && name !== 'quarter')) {
      return deps.net && { source: createKeyedSource(settings, settings.asset, deps), vintage: null, remote: { host } }
    }
    const source = createWholeSource(settings, deps, dataset)
    return source && { source, vintage: null, remote: { host, cachesItself: true } }
  },
})

type TableSettings = TableFormat & { asset: string; editions?: number }

/** A table that has a file for each key. */
function createKeyedSource(settings: TableSettings, asset: string, { net, now }: DriverDeps) {
  const name = placeholdersIn(asset).find((it) => it !== 'year' && it !== 'quarter')!
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined)
      throw new UpstreamError('unsupported_request', 'The table is asked by a key, and there is none.')
    const urlOf = (edition: { year: number; quarter: number }) => fillUrl(asset, { ...edition, [name]: key })
    const newestEdition = await fetchNewestEdition(urlOf, asset.includes('{quarter}'), now(), net!, budget)
    return newestEdition === null
      ? []
      : ((await parseRowsByKey(newestEdition.bytes, asset, settings)).get(normalizeKey(key, settings)) ?? [])
  }
}

/** A table that is downloaded as a whole; its rows are held by key, as text. Null when it is neither here nor to be had. */
function createWholeSource(settings: TableSettings, deps: DriverDeps, dataset: DatasetInfo) {
  const file = createTableFile(
    { ...settings, parse: (editions) => joinEditions(editions, settings.asset, settings) },
    deps,
    dataset,
  )
  if (!deps.net && !file.isOnDisk()) return null
  deps.runHourly(`table ${dataset.id}`, file.renew)
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined)
      throw new UpstreamError('unsupported_request', 'The table is asked by a key, and there is none.')
    const text = (await file.read(budget)).get(normalizeKey(key, settings))
    return text === undefined ? [] : (JSON.parse(text) as Properties[])
  }
}
