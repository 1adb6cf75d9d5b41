import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpClient } from '../net/http-client.ts'
import type { CheckPack } from '../packs/check/pack-checker.ts'
import { FileError } from '../files/file-error.ts'
import { manifestName } from '../packs/pack-manifest.ts'
import { pointerExtension } from '../packs/layer/raster-pointer.ts'
import { FolderInUseError, lockFolder } from '../store/sqlite/folder-lock.ts'
import { removeAbandonedWorkFolders } from '../store/work-folder.ts'
import { createPackCopier, type CopyDeps } from './copy-pack.ts'
import type { FileStorage } from './file-storage.ts'
import { packVersionsIn, readKnownVersions, writeKnownVersions, type PackVersion } from './pack-versions.ts'

/**
 * When the packs are copied. The packs of a command must not change while it runs, so it copies them once. A thread of
 * a command uses the copies of the command.
 */
export type CopySchedule = 'each_minute' | 'once' | 'never'

/** What the copies need from the service. */
export type PackCopiesOptions = {
  /** The folder of the copies of this location. */
  folder: string
  storage: FileStorage
  /** Null when the service is offline: the copies are used as they are. */
  net: HttpClient | null
  schedule: CopySchedule
  check: CheckPack
  /** Moves staged files to their places, all or none. */
  install: CopyDeps['install']
  log: { info(event: string, details?: Record<string, unknown>): void }
}

/** The folder of the copies of a location, in the data folder. Each location has its own. */
export function copiesFolderOf(dataFolder: string, location: string): string {
  return join(dataFolder, 'pack-copies', createHash('sha256').update(location).digest('hex').slice(0, 16))
}

/** Local copies of the packs in storage, brought up to date from the start on. Rasters are not copied: pointer files stand for them. */
export class PackCopies {
  /** The folder with the copies. */
  readonly folder: string
  readonly #options: PackCopiesOptions
  readonly #shutdown = new AbortController()
  readonly #timer: ReturnType<typeof setInterval> | undefined
  #hasBegun = false
  #hasSynced = false
  /** Versions that cannot be used, with the reason. They are not copied again before a restart. */
  readonly #rejected = new Map<string, { version: PackVersion; problem: string }>()
  #running: Promise<void> | null = null
  #isSyncPlanned = false
  #problem: string | null = null

  constructor(options: PackCopiesOptions) {
    this.folder = options.folder
    this.#options = options
    if (options.schedule === 'each_minute') this.#timer = setInterval(() => void this.sync(), interval_ms).unref()
    void this.sync()
  }

  /** Why the copies may be out of date; null if they are not. */
  readonly problem = (): string | null => this.#problem

  /**
   * Lists the storage and copies what changed, as often as the schedule allows. `problem` reports a failure, and the
   * copies stay.
   */
  readonly sync = (): Promise<void> => {
    const { net, schedule } = this.#options
    if (net === null || schedule === 'never' || this.#shutdown.signal.aborted) return Promise.resolve()
    if (schedule === 'once' && this.#hasBegun) return this.#running ?? Promise.resolve()
    this.#hasBegun = true
    this.#running ??= this.#syncLocked(net).finally(() => (this.#running = null))
    return this.#running
  }

  /** Lists the storage again soon, because a file changed while it was being read. */
  readonly syncSoon = (): void => {
    if (this.#isSyncPlanned) return
    this.#isSyncPlanned = true
    setTimeout(() => {
      this.#isSyncPlanned = false
      void this.sync()
    }, replacedDelay_ms).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#shutdown.abort(new Error('The service is stopping.'))
  }

  async #syncLocked(net: HttpClient): Promise<void> {
    let unlock: (() => void) | null = null
    try {
      unlock = lockFolder(this.folder)
      this.#report(await this.#copyChanges(net))
      this.#hasSynced = true
    } catch (error) {
      if (this.#shutdown.signal.aborted) return
      if (error instanceof FolderInUseError) return this.#waitForOtherProcess()
      this.#report(error instanceof Error ? error.message : String(error))
    } finally {
      unlock?.()
    }
  }

  /** Another process keeps the same copies up to date. Its first copy can take long. */
  #waitForOtherProcess(): void {
    const { storage, schedule } = this.#options
    if (this.#hasSynced) return
    this.#report(
      `Another Fieldstone process is copying packs from ${storage.location} to ${this.folder}. Packs that it has not copied yet are missing.`,
    )
    if (schedule === 'each_minute') this.syncSoon()
  }

  /** Returns what is wrong with some packs; null if all copies are up to date. */
  async #copyChanges(net: HttpClient): Promise<string | null> {
    const { storage, check, install, log } = this.#options
    const { signal } = this.#shutdown
    const known = readKnownVersions(this.folder)
    const versions = packVersionsIn(await storage.list({ signal }))
    if (versions.size === 0 && known.size > 0)
      throw new FileError(
        `${storage.location} has no packs, but it had ${known.size} before. The copies stay in use. Check the location. If it is right, stop the server and delete ${this.folder}.`,
      )
    removeAbandonedWorkFolders(this.folder)
    const copier = createPackCopier({ reader: { net, storage }, folder: this.folder, check, install })
    const problems: string[] = []
    for (const [file, version] of versions) {
      if (isSameVersion(known.get(file), version) && copier.isPresent(file)) continue
      const problem = await this.#copy(file, version, copier)
      signal.throwIfAborted()
      if (problem !== null) problems.push(problem)
      else {
        known.set(file, version)
        writeKnownVersions(this.folder, known)
        log.info('pack_copied', { file, version: version.pack.version })
      }
    }
    for (const file of [...known.keys()].filter((name) => !versions.has(name))) {
      this.#remove(file)
      known.delete(file)
      writeKnownVersions(this.folder, known)
    }
    copier.removeStaleParts(versions)
    return problems.length === 0 ? null : problems.join(' ')
  }

  async #copy(file: string, version: PackVersion, copier: ReturnType<typeof createPackCopier>): Promise<string | null> {
    const rejected = this.#rejected.get(file)
    if (rejected && isSameVersion(rejected.version, version)) return rejected.problem
    this.#rejected.delete(file)
    try {
      await copier.copy(file, version, { signal: this.#shutdown.signal })
      return null
    } catch (error) {
      const problem = `${file} was not copied from ${this.#options.storage.location}: ${(error as Error).message}`
      // What is wrong with the file itself stays wrong until it is replaced.
      if (error instanceof FileError && !error.retryable) this.#rejected.set(file, { version, problem })
      return problem
    }
  }

  #remove(file: string): void {
    for (const name of [file, file + pointerExtension, manifestName(file)])
      rmSync(join(this.folder, name), { force: true })
  }

  #report(problem: string | null): void {
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === null) this.#options.log.info('pack_storage_recovered', { location: this.#options.storage.location })
    else this.#options.log.info('pack_storage_failed', { location: this.#options.storage.location, reason: problem })
  }
}

function isSameVersion(a: PackVersion | undefined, b: PackVersion): boolean {
  return a?.pack.version === b.pack.version && a.manifest?.version === b.manifest?.version
}

const interval_ms = 60_000
const replacedDelay_ms = 1_000
