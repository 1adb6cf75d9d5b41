import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { UpstreamError } from '../model/error.ts'
import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { fillUrl } from './url-template.ts'
import type { DatasetInfo, DriverDeps } from './driver.ts'

/** One edition of a table as it was published. */
export type TableEdition = { year: number; bytes: Uint8Array }

/** A published table on disk, and what is read from its newest editions, newest first. */
export type TableFile<T> = {
  isOnDisk(): boolean
  /** What is read from what is on disk, or from what is downloaded now. The same until it is renewed. */
  read(budget: Budget): Promise<T>
  /** Downloads what is not here or past its time; what is here stays when that fails. Throws also when what came cannot be kept. */
  renew(): Promise<void>
}

/** Where a table is published, how many of its editions are joined, and how they are read. */
export type PublishedTable<T> = { asset: string; editions?: number; parse: (editions: TableEdition[]) => Promise<T> }

const tableMax_bytes = 64 * 2 ** 20
const downloadMax_ms = 600_000
/** How many years, or quarters, are tried backward from the newest that can be out. */
const maxSteps = 4
const quarterLag_months = 5

/** Keeps the files below the data folder, one for each edition. */
export function createTableFile<T>(
  { asset, editions = 1, parse }: PublishedTable<T>,
  { net, folder, now }: DriverDeps,
  { id, ttl_seconds }: DatasetInfo,
): TableFile<T> {
  const directory = join(folder, 'tables')
  const path = (i: number) => join(directory, `${id}${i === 0 ? '' : `-${i}`}${extname(asset)}`)
  const indexes = Array.from({ length: editions }, (_, i) => i)
  let cached: Promise<T> | null = null
  let pendingDownload: Promise<T> | null = null

  const isOnDisk = () => indexes.every((i) => existsSync(path(i)))
  const isStale = () => !isOnDisk() || now().getTime() - statSync(path(0)).mtimeMs > ttl_seconds * 1000
  const startDownload = () =>
    (pendingDownload ??= downloadEditions().finally(() => {
      pendingDownload = null
    }))
  return {
    isOnDisk,
    async read({ signal }) {
      cached ??= isOnDisk() ? readFromDisk() : null
      if (cached) return cached
      if (!net)
        throw new UpstreamError(
          'offline_no_data',
          'The table has not been downloaded, and the network is switched off.',
        )
      return abortable(startDownload(), signal)
    },
    async renew() {
      if (!net || !isStale()) return
      await startDownload()
      if (isStale())
        throw new Error(
          `The table ${id} was downloaded, and cannot be kept in ${directory}: it answers from memory until the next start.`,
        )
    },
  }

  /** A file that cannot be read (any more) is no reason to do without: it is downloaded anew. */
  async function readFromDisk(): Promise<T> {
    try {
      return await parse(
        await Promise.all(indexes.map(async (i) => ({ year: -i, bytes: await Bun.file(path(i)).bytes() }))),
      )
    } catch (error) {
      cached = null
      if (!net) throw error
      return startDownload()
    }
  }

  /** Goes on when those who asked for it have gone: a large table takes longer than a question may. What cannot be read is not kept. */
  async function downloadEditions(): Promise<T> {
    const budget = { signal: AbortSignal.timeout(downloadMax_ms) }
    const downloads: TableEdition[] = []
    for (const _ of indexes) {
      const before = downloads.at(-1)?.year
      const edition = await fetchNewestEdition(
        ({ year }) => fillUrl(asset, { year }),
        false,
        now(),
        net!,
        budget,
        before,
      )
      if (!edition)
        throw new UpstreamError(
          'upstream_rejected',
          `${new URL(fillUrl(asset, { year: 0 })).host} has none of the editions of the last ${maxSteps} years.`,
        )
      downloads.push(edition)
    }
    const content = await parse(downloads)
    cached = Promise.resolve(content)
    saveToDisk(downloads)
    return content
  }

  /** What cannot be kept answers all the same, from memory; the next `renew` says so. The newest edition last: until it is there, all of it counts as due. */
  function saveToDisk(downloads: TableEdition[]): void {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      for (const i of indexes.toReversed()) writeAtomically(path(i), downloads[i]!.bytes)
    } catch {
      // The file is not there, and so the table is due.
    }
  }
}

/** The newest edition that is out: one that is not answers 404, and the one before it is tried. `before` is a year it must be older than. */
export async function fetchNewestEdition(
  urlOf: (edition: { year: number; quarter: number }) => string,
  isQuarterly: boolean,
  now: Date,
  net: HttpClient,
  budget: Budget,
  before?: number,
): Promise<TableEdition | null> {
  const first = isQuarterly ? lastQuarter(now) : { year: (before ?? now.getUTCFullYear()) - 1, quarter: 0 }
  let lastUrl = ''
  for (let step = 0; step < maxSteps; step++) {
    const edition = isQuarterly ? quarterBefore(first, step) : { year: first.year - step, quarter: 0 }
    const url = urlOf(edition)
    if (url === lastUrl) return null
    lastUrl = url
    const { status, bytes } = await net.send({ url, acceptedStatuses: [404], cap_bytes: tableMax_bytes }, budget)
    if (status !== 404) return { year: edition.year, bytes: requireData(bytes, url) }
  }
  return null
}

/** The last quarter that can be out. */
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

/** A page in place of a file is a fault of the host, not a table. */
function requireData(bytes: Uint8Array, url: string): Uint8Array {
  const start = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().toLowerCase()
  if (bytes.length > 0 && !start.startsWith('<!doctype html') && !start.startsWith('<html')) return bytes
  throw new UpstreamError(
    'bad_response',
    `${new URL(url).host} answered with ${bytes.length === 0 ? 'nothing' : 'a page'} where a table was expected.`,
  )
}

function writeAtomically(path: string, bytes: Uint8Array): void {
  const part = `${path}.part`
  try {
    writeFileSync(part, bytes, { mode: 0o600 })
    renameSync(part, path)
  } finally {
    rmSync(part, { force: true })
  }
}
