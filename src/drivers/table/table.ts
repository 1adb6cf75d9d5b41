import type { Budget, Properties } from '../../model/source.ts'
import { noDeadline } from '../../async/deadline.ts'
import { createCountyHarvester, estimateOf } from '../rest/document-harvest.ts'
import { openPackedTexts, type TextsByKey } from '../pack/packed-texts.ts'
import { fillUrl, placeholdersIn } from '../rest/url-template.ts'
import { defineDriver, t, type DatasetInfo, type DriverDeps } from '../driver.ts'
import { missingKeyError, unexpectedResponse } from '../driver-errors.ts'
import type { JsonValue } from '../harvest.ts'
import { parseInThisThread } from './parse-download.ts'
import { fetchEditions, fetchNewestEdition, noEditionError } from './table-edition.ts'
import { TableFile } from './table-file.ts'
import { schemaChangedError } from '../../model/error.ts'
import { joinEditions, normalizeKey, type TableFormat } from './table-rows.ts'

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
  /** Rows with fewer cells than `columns`, such as titles and notes, are not data. */
  has_notes: t.Optional(t.Literal(true)),
  /** The columns that form the key; if undefined, the column with the county code. */
  key_columns: t.Optional(t.Array(t.String())),
  /**
   * The number of digits of codes that the table may store as numbers (default 5, a county code); 0: codes are
   * unchanged.
   */
  key_digits: t.Optional(t.Integer()),
  /** The key consists of names. Case, accents, punctuation and the short form of Saint are ignored. */
  key_of_names: t.Optional(t.Boolean()),
  /** A key that the table always has. Without it the keys have another form: `schema_changed`. */
  known_key: t.Optional(t.String()),
  /** The table has a row for every key; a key without a row is `schema_changed`. */
  has_every_key: t.Optional(t.Literal(true)),
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
    if (keyPlaceholderOf(settings.asset) !== null) {
      return deps.net && { source: createKeyedSource(settings, settings.asset, deps), vintage: null, remote: { host } }
    }
    const source = createWholeSource(settings, deps, dataset)
    return source && { source, vintage: null, remote: { host, cachesItself: true } }
  },
  canHarvest: ({ asset }) => keyPlaceholderOf(asset) === null || keyPlaceholderOf(asset) === countyField,
  harvest(settings, { net, now }, { counties, keyField }) {
    const { asset } = settings
    const host = new URL(asset.replace(/[{}]/g, '')).host
    if (keyPlaceholderOf(asset) === countyField)
      return createCountyHarvester({ host, net, counties }, 1, async (key, client, budget) => {
        const source = createKeyedSource(settings, asset, { net: client, now, parse: parseInThisThread })
        return [{ key, document: await source({ key }, budget) }]
      })
    return {
      shape: 'document',
      host,
      estimate: () => Promise.resolve(estimateOf(settings.editions ?? 1)),
      async copy(journal, budget) {
        const editions = await fetchEditions(journal.recordReplies(net), settings, now(), budget)
        const rowsByKey = await joinEditions(editions, asset, settings)
        const keys = keyField === countyField ? counties : [...rowsByKey.keys()]
        return keys.map((key) => ({ key, document: JSON.parse(rowTextOf(rowsByKey, key, settings)) as JsonValue }))
      },
    }
  },
})

const countyField = 'county_fips'

/** The name in the URL that stands for the key; null for a file with all keys. */
function keyPlaceholderOf(asset: string): string | null {
  return placeholdersIn(asset).find((name) => name !== 'year' && name !== 'quarter') ?? null
}

type TableSettings = TableFormat & { asset: string; editions?: number; known_key?: string; has_every_key?: true }

/** The source of a table with one file per key. */
function createKeyedSource(
  settings: TableSettings,
  asset: string,
  { net, now, parse }: Pick<DriverDeps, 'net' | 'now' | 'parse'>,
) {
  const name = keyPlaceholderOf(asset)!
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined) throw missingKeyError()
    const urlOf = (edition: { year: number; quarter: number }) => fillUrl(asset, { ...edition, [name]: key })
    const search = { urlOf, isQuarterly: asset.includes('{quarter}'), now: now(), keyColumns: settings.key_columns }
    const newestEdition = await fetchNewestEdition(net!, search, budget)
    if (newestEdition === null) throw noEditionError(new URL(urlOf({ year: 0, quarter: 0 })).host)
    const rows = await parse('rows', { bytes: newestEdition.bytes, asset, format: settings, key }, budget)
    if (rows.length > 0) return rows
    throw unexpectedResponse(new URL(urlOf({ year: 0, quarter: 0 })).host, `a table with rows of ${key}`, 'other rows')
  }
}

/**
 * The source of a table that is downloaded completely; rows are kept as text by key. Null if it is neither on disk nor
 * downloadable.
 */
function createWholeSource(settings: TableSettings, deps: DriverDeps, dataset: DatasetInfo) {
  const file = new TableFile(
    {
      ...settings,
      parse: async (editions) => {
        const job = { editions, asset: settings.asset, format: settings }
        const { editions: parsed, ...texts } = await deps.parse('table', job, noDeadline)
        return { content: openPackedTexts(texts), editions: parsed }
      },
    },
    deps,
    dataset,
  )
  if (!deps.net && !file.isOnDisk) return null
  deps.runHourly(`table ${dataset.id}`, () => file.renew())
  return async ({ key }: { key?: string }, budget: Budget): Promise<Properties[]> => {
    if (key === undefined) throw missingKeyError()
    return JSON.parse(rowTextOf(await file.read(budget), key, settings)) as Properties[]
  }
}

/** The rows of a key as JSON. @throws {UpstreamError} if the table lacks a key that it must have. */
function rowTextOf(
  rowsByKey: Pick<TextsByKey, 'get' | 'keys' | 'has'>,
  key: string,
  { known_key, has_every_key, ...format }: TableSettings,
): string {
  const text = rowsByKey.get(normalizeKey(key, format))
  if (text !== undefined) return text
  const isKnown = known_key === undefined || rowsByKey.has(normalizeKey(known_key, format))
  if (isKnown && !has_every_key) return '[]'
  throw schemaChangedError([`the row ${isKnown ? key : known_key}`], [...rowsByKey.keys()])
}
