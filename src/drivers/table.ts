import type { Budget, Properties } from '../model/source.ts'
import { fillUrl, placeholdersIn } from './url-template.ts'
import { defineDriver, t, type DatasetInfo, type DriverDeps } from './driver.ts'
import { missingKeyError } from './driver-errors.ts'
import { fetchNewestEdition, noEditionError } from './table-edition.ts'
import { TableFile } from './table-file.ts'
import { joinEditions, normalizeKey, parseRowsByKey, type TableFormat } from './table-rows.ts'

const config = t.Object({
  asset: t.String(),
  json_path: t.Optional(t.String()),
  encoding: t.Optional(t.Literal('windows-1252')),
  /** The number of text lines above the rows (with `columns`) or above the header line. */
  header_lines: t.Optional(t.Integer()),
  preamble_rows: t.Optional(t.Integer()),
  sheet: t.Optional(t.String()),
  /** The column names, for a file without a header. */
  columns: t.Optional(t.Array(t.String())),
  /** The columns that form the key; if undefined, the column with the county code. */
  key_columns: t.Optional(t.Array(t.String())),
  /**
   * The number of digits of codes that the table may store as numbers (default 5, a county code); 0: codes are
   * unchanged.
   */
  key_digits: t.Optional(t.Integer()),
  /** The key consists of names. Case, accents, punctuation and the short form of Saint are ignored. */
  key_of_names: t.Optional(t.Boolean()),
  /** The number of yearly editions to join; columns of the previous year end in `_prior`. */
  editions: t.Optional(t.Integer()),
  note: t.Optional(t.String()),
})

/**
 * A published table, read by key. A whole table is downloaded to the data folder and renewed when the dataset's TTL
 * expires. A table with one file per key is requested by key. `{year}` and `{quarter}` are the newest that are
 * published.
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

/** The source of a table with one file per key. */
function createKeyedSource(settings: TableSettings, asset: string, { net, now }: DriverDeps) {
  const name = placeholdersIn(asset).find((it) => it !== 'year' && it !== 'quarter')!
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined) throw missingKeyError()
    const urlOf = (edition: { year: number; quarter: number }) => fillUrl(asset, { ...edition, [name]: key })
    const search = { urlOf, isQuarterly: asset.includes('{quarter}'), now: now() }
    const newestEdition = await fetchNewestEdition(net!, search, budget)
    if (newestEdition === null) throw noEditionError(new URL(urlOf({ year: 0, quarter: 0 })).host)
    return (await parseRowsByKey(newestEdition.bytes, asset, settings)).get(normalizeKey(key, settings)) ?? []
  }
}

/**
 * The source of a table that is downloaded completely; rows are kept as text by key. Null if it is neither on disk nor
 * downloadable.
 */
function createWholeSource(settings: TableSettings, deps: DriverDeps, dataset: DatasetInfo) {
  const file = new TableFile(
    { ...settings, parse: (editions) => joinEditions(editions, settings.asset, settings) },
    deps,
    dataset,
  )
  if (!deps.net && !file.isOnDisk) return null
  deps.runHourly(`table ${dataset.id}`, () => file.renew())
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined) throw missingKeyError()
    const text = (await file.read(budget)).get(normalizeKey(key, settings))
    return text === undefined ? [] : (JSON.parse(text) as Properties[])
  }
}
