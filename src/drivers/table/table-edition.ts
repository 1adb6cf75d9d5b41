import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { fillUrl } from '../rest/url-template.ts'

/** One edition of a table as it was published. */
export type TableEdition = { year: number; bytes: Uint8Array }

/** How far back `fetchNewestEdition` tries, in years or quarters. */
const maxEditionSteps = 4

type EditionSearch = {
  urlOf: (edition: { year: number; quarter: number }) => string
  isQuarterly: boolean
  now: Date
  /** The edition must be older than this year. */
  before?: number | undefined
  /** The columns by which a header is recognized. */
  keyColumns: readonly string[] | undefined
}

/**
 * Fetches the newest published edition: where one answers 404, or a CSV file with nothing but its header, the one
 * before it is tried. Null if none is found.
 */
export async function fetchNewestEdition(
  net: HttpClient,
  { urlOf, isQuarterly, now, before, keyColumns }: EditionSearch,
  budget: Budget,
): Promise<TableEdition | null> {
  const first = isQuarterly ? lastQuarter(now) : { year: (before ?? now.getUTCFullYear()) - 1, quarter: 0 }
  let lastUrl = ''
  for (let step = 0; step < maxEditionSteps; step++) {
    const edition = isQuarterly ? quarterBefore(first, step) : { year: first.year - step, quarter: 0 }
    const url = urlOf(edition)
    if (url === lastUrl) return null
    lastUrl = url
    const { status, bytes } = await net.send({ url, acceptedStatuses: [404], cap_bytes: tableMax_bytes }, budget)
    if (status !== 404 && !isHeaderOnly(requireTable(bytes, url), url, keyColumns)) return { year: edition.year, bytes }
  }
  return null
}

/** A published table: its URL, the number of its editions to join, and its key columns. */
export type EditionedTable = { asset: string; editions?: number; key_columns?: string[] }

/** Fetches the newest editions of a table, the newest first. @throws {UpstreamError} if there are too few. */
export async function fetchEditions(
  net: HttpClient,
  { asset, editions: count = 1, key_columns: keyColumns }: EditionedTable,
  now: Date,
  budget: Budget,
): Promise<TableEdition[]> {
  const editions: TableEdition[] = []
  while (editions.length < count) {
    const urlOf = ({ year }: { year: number }) => fillUrl(asset, { year })
    const before = editions.at(-1)?.year
    const edition = await fetchNewestEdition(net, { urlOf, isQuarterly: false, now, before, keyColumns }, budget)
    if (!edition) throw noEditionError(new URL(fillUrl(asset, { year: 0 })).host)
    editions.push(edition)
  }
  return editions
}

/** The error if none of the editions that were tried is published. */
export function noEditionError(host: string): UpstreamError {
  return new UpstreamError(
    'upstream_rejected',
    `${host} has none of the last ${maxEditionSteps} editions of the table. Check \`asset\` in the dataset.`,
  )
}

/** Whether a CSV file is only its header: so an edition is announced before it is published. */
function isHeaderOnly(bytes: Uint8Array, url: string, keyColumns: EditionSearch['keyColumns']): boolean {
  if (!keyColumns || !new URL(url).pathname.endsWith('.csv') || bytes.length > headerMax_bytes) return false
  const text = new TextDecoder().decode(bytes).trim()
  const names = text.split(',').map((name) => name.replaceAll('"', '').trim())
  return !text.includes('\n') && keyColumns.every((name) => names.includes(name))
}

const headerMax_bytes = 16_384
/** Parsing takes about 15 times this memory. */
const tableMax_bytes = 16 * 2 ** 20
const quarterLag_months = 5

/** The last quarter that can be published. */
function lastQuarter(now: Date): { year: number; quarter: number } {
  const then = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - quarterLag_months, 1))
  return quarterBefore({ year: then.getUTCFullYear(), quarter: Math.floor(then.getUTCMonth() / 3) + 1 }, 1)
}

function quarterBefore(
  { year, quarter }: { year: number; quarter: number },
  steps: number,
): { year: number; quarter: number } {
  const count = 4 * year + quarter - 1 - steps
  return { year: Math.floor(count / 4), quarter: (count % 4) + 1 }
}

/** Throws if the host returned nothing or a page instead of a file. */
function requireTable(bytes: Uint8Array, url: string): Uint8Array {
  const start = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().toLowerCase()
  if (bytes.length > 0 && !start.startsWith('<!doctype html') && !start.startsWith('<html')) return bytes
  throw unexpectedResponse(new URL(url).host, 'a table', start)
}
