import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { UpstreamError } from '../../model/error.ts'
import { abortable } from '../../async/deadline.ts'
import type { Budget } from '../../model/source.ts'
import type { DatasetInfo, DriverDeps } from '../driver.ts'
import { fetchEditions, type EditionedTable, type TableEdition } from './table-edition.ts'

/** A published table, and how its editions are parsed. They move to the parser, which gives them back. */
type PublishedTable<T> = EditionedTable & {
  parse: (editions: TableEdition[]) => Promise<{ content: T; editions: TableEdition[] }>
}

const downloadMax_ms = 600_000

/**
 * A published table with its newest editions in the data folder, one file each. The content is parsed once and replaced
 * after each download; there is at most one download at a time.
 */
export class TableFile<T> {
  readonly #table: PublishedTable<T>
  readonly #deps: Pick<DriverDeps, 'net' | 'folder' | 'now'>
  readonly #dataset: Pick<DatasetInfo, 'id' | 'ttl_seconds'>
  readonly #paths: string[]
  #content: Promise<T> | null = null
  /** When the newest of the files that the content is from was written; null if none was. */
  #contentTime_ms: number | null = null
  #pendingDownload: Promise<T> | null = null

  constructor(
    table: PublishedTable<T>,
    deps: Pick<DriverDeps, 'net' | 'folder' | 'now'>,
    dataset: Pick<DatasetInfo, 'id' | 'ttl_seconds'>,
  ) {
    this.#table = table
    this.#deps = deps
    this.#dataset = dataset
    this.#paths = Array.from({ length: table.editions ?? 1 }, (_, i) =>
      join(this.#directory, `${dataset.id}${i === 0 ? '' : `-${i}`}${extname(table.asset)}`),
    )
  }

  get isOnDisk(): boolean {
    return this.#paths.every((path) => existsSync(path))
  }

  /** The content, from memory, from disk, or from a new download. */
  async read({ signal }: Budget): Promise<T> {
    if (!this.#content && this.isOnDisk) {
      this.#contentTime_ms = this.#savedTime_ms
      this.#content = this.#readFromDisk()
    }
    if (this.#content) return this.#content
    if (!this.#deps.net)
      throw new UpstreamError(
        'offline_no_data',
        'The table is not on disk and the network is switched off. Set FIELDSTONE_OFFLINE=0 to download it.',
      )
    return abortable(this.#download(), signal)
  }

  /**
   * Downloads the table if it is missing or expired; on failure the old files remain. If another process has renewed
   * the files, the next query reads them. Throws if they cannot be written.
   */
  async renew(): Promise<void> {
    if (!this.#deps.net) return
    if (!this.#isStale) {
      if (this.#savedTime_ms !== this.#contentTime_ms) this.#content = null
      return
    }
    await this.#download()
    if (this.#isStale)
      throw new Error(
        `Table ${this.#dataset.id} was downloaded but cannot be written to ${this.#directory}. It is served from memory until the next start. Check the folder's permissions and free space.`,
      )
  }

  get #directory(): string {
    return join(this.#deps.folder, 'tables')
  }

  get #isStale(): boolean {
    if (!this.isOnDisk) return true
    const age_ms = this.#deps.now().getTime() - (this.#savedTime_ms ?? 0)
    return age_ms > this.#dataset.ttl_seconds * 1000
  }

  get #savedTime_ms(): number | null {
    const [newest] = this.#paths as [string]
    return existsSync(newest) ? statSync(newest).mtimeMs : null
  }

  /** Reads the files. If they cannot be parsed, the table is downloaded again. */
  async #readFromDisk(): Promise<T> {
    try {
      const editions = await Promise.all(
        this.#paths.map(async (path, i) => ({ year: -i, bytes: await Bun.file(path).bytes() })),
      )
      return (await this.#table.parse(editions)).content
    } catch (error) {
      this.#content = null
      if (!this.#deps.net) throw error
      return this.#download()
    }
  }

  #download(): Promise<T> {
    return (this.#pendingDownload ??= this.#downloadEditions().finally(() => {
      this.#pendingDownload = null
    }))
  }

  /**
   * Continues after its callers have left, because a large table takes longer than a query may. Invalid content is not
   * saved.
   */
  async #downloadEditions(): Promise<T> {
    const budget = { signal: AbortSignal.timeout(downloadMax_ms) }
    const fetched = await fetchEditions(this.#deps.net!, this.#table, this.#deps.now(), budget)
    const { content, editions } = await this.#table.parse(fetched)
    this.#content = Promise.resolve(content)
    this.#saveToDisk(editions)
    this.#contentTime_ms = this.#savedTime_ms
    return content
  }

  /**
   * Saves the newest edition last, so that the table counts as stale until all are saved. Errors are reported by
   * `renew`.
   */
  #saveToDisk(editions: TableEdition[]): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      for (const [i, path] of [...this.#paths.entries()].toReversed()) writeAtomically(path, editions[i]!.bytes)
    } catch {
      // The file is missing, so the table remains stale.
    }
  }
}

/** Several processes can write the same file at the same time, so each has a part of its own. */
function writeAtomically(path: string, bytes: Uint8Array): void {
  const part = `${path}.${process.pid}.part`
  try {
    writeFileSync(part, bytes, { mode: 0o600 })
    renameSync(part, path)
  } finally {
    rmSync(part, { force: true })
  }
}
