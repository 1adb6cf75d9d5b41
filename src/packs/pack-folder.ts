import { join } from 'node:path'
import { createByteCache } from './layer/byte-cache.ts'
import type { CheckPack } from './check/pack-checker.ts'
import type { LivePackFile } from './live-packs.ts'
import { packNameOf } from './part-files.ts'
import {
  createPackEntry,
  fileStateOf,
  installedDataOf,
  packDatasetOf,
  packStatusOf,
  rejectionReasonOf,
  type FileState,
  type InstalledData,
  type PackEntry,
} from './pack-entry.ts'
import { fingerprintFiles, isUnchanged, packExtensions, type PackFingerprint } from './check/pack-fingerprints.ts'
import { readManifest } from './pack-manifest.ts'
import { FileError } from '../files/file-error.ts'
import { unreadableText } from './read-errors.ts'
import { openPackFile, openStoredRaster, type RasterOpeners } from './open-pack-file.ts'
import { readRasterPointer } from './layer/raster-pointer.ts'
import type { PackStatus } from './check/pack-status.ts'
import { type PackRequirements, type PackDataset, type Pack, unknownPackFileError } from './pack.ts'

/** What the pack folder needs from the service. */
export type PackFolderOptions = RasterOpeners & {
  /** What the catalog's datasets read from a file; empty if no dataset reads a file of that name. */
  requirementsOf: (file: string) => readonly PackRequirements[]
  /** Resolves when the files of the folder are up to date (default: at once). */
  prepare?: () => Promise<void>
  /** Checks the content of a file before it goes live. A scan does not wait for it. */
  check: CheckPack
  log: { info(event: string, details?: Record<string, unknown>): void }
  now: () => Date
}

/**
 * The folder of pack files; a missing one counts as empty. It is scanned twice a second. Scans run one after the other;
 * checks run beside them. No file in it can make this throw.
 */
export class PackFolder {
  readonly #folder: string
  readonly #options: PackFolderOptions
  readonly #cache = createByteCache(cache_bytes)
  readonly #entries = new Map<string, PackEntry>()
  /** The files by the name of their pack; null until it is needed. */
  #filesByPack: Map<string, string[]> | null = null
  /** Packs that are no longer live but may still be read by running requests. */
  readonly #retired = new Set<Pack>()
  readonly #listeners: (() => void)[] = []
  readonly #checks = new Set<Promise<void>>()
  readonly #timer: ReturnType<typeof setInterval>
  /** Changes each time `statesOf` may return something else. */
  statesVersion = 0
  #isOpen = true
  #currentScan = Promise.resolve()
  #pendingScans = 0
  #hasChanged = false
  #folderError: string | null = null

  constructor(folder: string, options: PackFolderOptions) {
    this.#folder = folder
    this.#options = options
    // A slow disk can make a scan slow; no further scan is queued behind it.
    this.#timer = setInterval(() => this.#pendingScans === 0 && void this.poll(), poll_ms)
    this.#timer.unref()
    void this.poll()
  }

  list(): PackStatus[] {
    return [...this.#entries]
      .map(([file, entry]) => packStatusOf(file, entry))
      .toSorted((a, b) => (a.file < b.file ? -1 : 1))
  }

  /** The state of the files of the packs whose names match. It takes no longer if other packs have many parts. */
  statesOf(isPackName: (name: string) => boolean): FileState[] {
    this.#filesByPack ??= Map.groupBy(this.#entries.keys(), packNameOf)
    return [...this.#filesByPack].flatMap(([name, files]) =>
      isPackName(name) ? files.map((file) => fileStateOf(file, this.#entries.get(file)!)) : [],
    )
  }

  /** Why the folder cannot be read; null if it can be read or does not exist. Live packs stay live. */
  folderError(): string | null {
    return this.#folderError
  }

  /** The data that a pack file and its parts provide for a dataset; `null` if none of the files is live. */
  dataset(file: string, dataset: string): PackDataset | null {
    return packDatasetOf(this.#entries, file, dataset)
  }

  /** The files that provide these datasets, so that another thread can open them; null while one is being checked. */
  liveFiles(datasets: ReadonlySet<string>): LivePackFile[] | null {
    const serving = [...this.#entries].filter(([, { pack }]) => pack?.datasets.keys().some((id) => datasets.has(id)))
    if (serving.some(([, { state }]) => state !== 'live')) return null
    return serving.map(([file, { fingerprint, indexes }]) => {
      return { folder: this.#folder, file, fingerprint, indexes, requirements: this.#options.requirementsOf(file) }
    })
  }

  /** What the live files provide, one record for each dataset of a file. */
  installed(): InstalledData[] {
    return [...this.#entries.values()].flatMap(({ pack, manifest: { area } }) =>
      pack ? installedDataOf(pack, area) : [],
    )
  }

  /** Calls the listener each time the set of live packs changes. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Checks every file again at the next scan, because the requirements of the catalog changed. */
  recheck(): void {
    this.statesVersion++
    // The copy makes a running check, which uses the old requirements, end without effect.
    for (const [file, entry] of this.#entries)
      this.#entries.set(file, { ...entry, state: 'checking', isBeingChecked: false })
  }

  close(): void {
    this.#isOpen = false
    clearInterval(this.#timer)
    for (const { pack } of this.#entries.values()) pack?.close()
    for (const pack of this.#retired) pack.close()
    this.#entries.clear()
    this.#retired.clear()
    this.statesVersion++
  }

  /**
   * Scans the folder now and resolves when the scan and all checks have ended. A new file is checked after its second
   * scan.
   */
  poll(): Promise<void> {
    this.#pendingScans++
    this.#currentScan = this.#currentScan.then(() => this.#scan()).finally(() => this.#pendingScans--)
    return this.#currentScan.then(async () => void (await Promise.all(this.#checks)))
  }

  /** Scans until every file is live or rejected, except files that are still being written after ten seconds. */
  async waitUntilChecked(): Promise<void> {
    await this.#options.prepare?.()
    for (let scans = 0; scans < awaitedScans; scans++) {
      await this.poll()
      if (!this.#isOpen || !this.list().some(({ state }) => state === 'checking')) return
      await Bun.sleep(poll_ms)
    }
  }

  async #scan(): Promise<void> {
    const files = await fingerprintFiles(this.#folder, this.#isPartFolder).catch((error: Error) =>
      this.#reportUnreadable(error),
    )
    if (!this.#isOpen || !files) return
    this.#folderError = null
    for (const [file, entry] of this.#entries) {
      if (files.has(file)) continue
      this.#retire(entry)
      this.#entries.delete(file)
      this.#filesByPack = null
      this.statesVersion++
      this.#options.log.info('pack_removed', { file })
    }
    for (const [file, fingerprint] of files) {
      const entry = this.#entries.get(file)
      if (entry && isUnchanged(entry.fingerprint, fingerprint)) {
        if (entry.state === 'checking' || entry.isRetryable) this.#startCheck(file, entry)
      } else this.#trackFile(file, fingerprint, entry)
    }
    this.#notifyListeners()
  }

  /** Other folders are ignored. An operator can keep old packs in one. */
  readonly #isPartFolder = (folder: string): boolean =>
    packExtensions.some((extension) => this.#options.requirementsOf(`${folder}/part${extension}`).length > 0)

  #notifyListeners(): void {
    if (!this.#hasChanged || !this.#isOpen) return
    this.#hasChanged = false
    for (const listener of this.#listeners) listener()
  }

  /** Starts the check of a file, unless it is being checked. */
  #startCheck(file: string, entry: PackEntry): void {
    if (entry.isBeingChecked) return
    entry.isBeingChecked = true
    const check = this.#checkFile(file, entry).finally(() => {
      entry.isBeingChecked = false
      this.#checks.delete(check)
      this.#notifyListeners()
    })
    this.#checks.add(check)
  }

  #reportUnreadable(error: Error): null {
    const previous = this.#folderError
    this.#folderError = error instanceof FileError ? error.message : unreadableText(this.#folder, error)
    if (this.#folderError !== previous) this.#options.log.info('packs_folder_unreadable', { reason: this.#folderError })
    return null
  }

  /**
   * A new or changed file waits for the next scan in case it is still being copied, unless it was last modified a
   * while ago.
   */
  #trackFile(file: string, fingerprint: PackFingerprint, previous: PackEntry | undefined): void {
    // A file overwritten in place invalidates the open pack. A file that replaces it (or a new manifest) does not.
    if (
      previous?.pack &&
      previous.fingerprint.inode === fingerprint.inode &&
      previous.fingerprint.file !== fingerprint.file
    )
      this.#retire(previous)
    const entry = createPackEntry(fingerprint, previous)
    this.#entries.set(file, entry)
    if (!previous) this.#filesByPack = null
    this.statesVersion++
    if (!previous && this.#options.now().getTime() - fingerprint.modified_ms >= stableAfter_ms)
      this.#startCheck(file, entry)
  }

  async #checkFile(file: string, entry: PackEntry): Promise<void> {
    let pack: Pack | null = null
    try {
      entry.manifest = readManifest(this.#folder, file)
      const requirements = this.#options.requirementsOf(file)
      if (requirements.length === 0) throw unknownPackFileError(file)
      if (entry.fingerprint.isPointer) {
        const pointer = readRasterPointer(this.#folder, file)
        entry.stored_bytes = pointer.size_bytes
        pack = await openStoredRaster(pointer, { manifest: entry.manifest, requirements }, this.#options)
      } else {
        entry.indexes = await this.#options.check(join(this.#folder, file), entry.manifest.sha256)
        if (!this.#isOpen || this.#entries.get(file) !== entry) return
        const opened = { file, folder: this.#folder, manifest: entry.manifest, indexes: entry.indexes, requirements }
        pack = await openPackFile(opened, this.#cache, this.#options)
      }
      entry.reason = null
      entry.isRetryable = false
      this.#options.log.info('pack_loaded', { file, datasets: [...pack.datasets.keys()] })
    } catch (error) {
      const previousReason = entry.reason
      entry.reason = rejectionReasonOf(error, file)
      entry.isRetryable = error instanceof FileError && error.retryable
      if (entry.reason !== previousReason) this.#options.log.info('pack_rejected', { file, reason: entry.reason })
    }
    // The file was removed, or the service closed, while the pack was being opened.
    if (!this.#isOpen || this.#entries.get(file) !== entry) return pack?.close()
    this.#retire(entry)
    entry.pack = pack
    entry.state = pack ? 'live' : 'rejected'
    this.statesVersion++
    this.#hasChanged ||= pack !== null
  }

  /** Closes a pack after a delay, when every request that may still read from it has ended. */
  #retire(entry: PackEntry): void {
    const { pack } = entry
    if (!pack) return
    entry.pack = null
    this.#hasChanged = true
    this.#retired.add(pack)
    setTimeout(() => {
      if (this.#retired.delete(pack)) pack.close()
    }, closeDelay_ms).unref()
  }
}

const poll_ms = 500
/** Each scan also waits for the checks that are running. */
const awaitedScans = 20
const stableAfter_ms = 2_000
const closeDelay_ms = 60_000
const cache_bytes = 48 * 1024 * 1024
