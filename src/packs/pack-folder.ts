import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UpstreamError } from '../model/error.ts'
import { createByteCache } from './byte-cache.ts'
import { sha256OfFile } from './import/byte-reader.ts'
import { parseManifest, emptyManifest, type PackManifest } from './pack-manifest.ts'
import { PackError } from './pack-error.ts'
import type { PackStatus } from './pack-status.ts'
import {
  openGeopackagePack,
  openRasterPack,
  type PackRequirements,
  type PackDataset,
  type Pack,
  type RasterFile,
} from './pack.ts'

/** The folder of pack files. It is scanned twice a second. */
export type PackFolder = {
  list(): PackStatus[]
  /** Why the folder cannot be read; null if it can be read or does not exist. Live packs stay live. */
  folderError(): string | null
  /** The data that a file provides for a dataset; `null` if the file is missing, not checked yet, or rejected. */
  dataset(file: string, dataset: string): PackDataset | null
  /** Calls the listener each time the set of live packs changes. */
  onChange(listener: () => void): void
  /** Scans the folder now and resolves when the scan ends. A new file goes live after its second scan. */
  poll(): Promise<void>
  /** Checks every file again at the next scan, because the requirements of the catalog changed. */
  recheck(): void
  close(): void
}

/** What the pack folder needs from the service. */
export type PackFolderOptions = {
  /** What the catalog's datasets read from a file; empty if no dataset reads a file of that name. */
  requirementsOf: (file: string) => readonly PackRequirements[]
  rasters: { openFile(path: string): Promise<RasterFile> } | null
  log: { info(event: string, details?: Record<string, unknown>): void }
  now: () => Date
}

/** Opens the folder. A missing folder counts as empty. No file in it can make this throw. */
export function openPackFolder(folder: string, { requirementsOf, rasters, log, now }: PackFolderOptions): PackFolder {
  const cache = createByteCache(cache_bytes)
  const entries = new Map<string, Entry>()
  const retired = new Set<Pack>()
  const listeners: (() => void)[] = []
  let isOpen = true
  let currentScan = Promise.resolve()
  let pendingScans = 0
  let hasChanged = false
  let folderError: string | null = null
  // A checksum can make a scan slow; no further scan is queued behind it.
  const timer = setInterval(() => pendingScans === 0 && void poll(), poll_ms)
  timer.unref()
  void poll()
  return {
    list: () =>
      [...entries].map(([file, entry]) => statusOf(file, entry)).toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    folderError: () => folderError,
    dataset: (file, dataset) => entries.get(file)?.pack?.datasets.get(dataset) ?? null,
    onChange: (listener) => void listeners.push(listener),
    poll,
    recheck() {
      for (const entry of entries.values()) entry.state = 'checking'
    },
    close() {
      isOpen = false
      clearInterval(timer)
      for (const { pack } of entries.values()) pack?.close()
      for (const pack of retired) pack.close()
      entries.clear()
      retired.clear()
    },
  }

  function poll(): Promise<void> {
    pendingScans++
    currentScan = currentScan.then(scan).finally(() => pendingScans--)
    return currentScan
  }

  async function scan(): Promise<void> {
    const files = await fingerprintFiles(folder).catch(reportUnreadable)
    if (!isOpen || !files) return
    folderError = null
    for (const [file, entry] of entries) {
      if (files.has(file)) continue
      retire(entry)
      entries.delete(file)
      log.info('pack_removed', { file })
    }
    for (const [file, fingerprint] of files) {
      const entry = entries.get(file)
      if (entry && isUnchanged(entry.fingerprint, fingerprint)) {
        if (entry.state === 'checking' || entry.isRetryable) await checkFile(file, entry)
      } else await trackFile(file, fingerprint, entry)
      if (!isOpen) return
    }
    if (!hasChanged) return
    hasChanged = false
    for (const listener of listeners) listener()
  }

  function reportUnreadable(error: Error): null {
    const previous = folderError
    folderError = `${folder} cannot be read: ${error.message}. Give the account that runs this service read access.`
    if (folderError !== previous) log.info('packs_folder_unreadable', { reason: folderError })
    return null
  }

  /**
   * A new or changed file waits for the next scan in case it is still being copied, unless it was last modified a
   * while ago.
   */
  async function trackFile(file: string, fingerprint: Fingerprint, previous: Entry | undefined): Promise<void> {
    // A file overwritten in place invalidates the open pack. A file that replaces it (or a new manifest) does not.
    if (
      previous?.pack &&
      previous.fingerprint.inode === fingerprint.inode &&
      previous.fingerprint.file !== fingerprint.file
    )
      retire(previous)
    const entry: Entry = {
      fingerprint,
      state: 'checking',
      reason: null,
      isRetryable: false,
      manifest: previous?.manifest ?? emptyManifest,
      pack: previous?.pack ?? null,
    }
    entries.set(file, entry)
    if (!previous && now().getTime() - fingerprint.modified_ms >= stableAfter_ms) await checkFile(file, entry)
  }

  async function checkFile(file: string, entry: Entry): Promise<void> {
    let pack: Pack | null = null
    try {
      entry.manifest = await readManifest(folder, file)
      if (entry.manifest.sha256 !== null && (await stat(join(folder, file))).size <= maxChecksum_bytes)
        await verifyChecksum(join(folder, file), file, entry.manifest.sha256)
      pack = await openPack(file, entry.manifest)
      entry.reason = null
      entry.isRetryable = false
      log.info('pack_loaded', { file, datasets: [...pack.datasets.keys()] })
    } catch (error) {
      const previousReason = entry.reason
      entry.reason = messageOf(error, file)
      entry.isRetryable = error instanceof PackError && error.retryable
      if (entry.reason !== previousReason) log.info('pack_rejected', { file, reason: entry.reason })
    }
    // The file was removed, or the service closed, while the pack was being opened.
    if (!isOpen || entries.get(file) !== entry) return pack?.close()
    retire(entry)
    entry.pack = pack
    entry.state = pack ? 'live' : 'rejected'
    hasChanged ||= pack !== null
  }

  async function openPack(file: string, manifest: PackManifest): Promise<Pack> {
    const requirements = requirementsOf(file)
    if (requirements.length === 0) throw new PackError(`No dataset of the catalog reads a file named ${file}.`)
    const path = join(folder, file)
    if (!file.endsWith('.tif')) return openGeopackagePack(path, manifest, requirements, cache)
    if (!rasters) throw new PackError(`${file} is a raster, and this service reads no rasters.`)
    return openRasterPack(await rasters.openFile(path), manifest, requirements)
  }

  /** Closes a pack after a delay, when every request that may still read from it has ended. */
  function retire(entry: Entry): void {
    const { pack } = entry
    if (!pack) return
    entry.pack = null
    hasChanged = true
    retired.add(pack)
    setTimeout(() => {
      if (retired.delete(pack)) pack.close()
    }, closeDelay_ms).unref()
  }
}

const poll_ms = 500
const stableAfter_ms = 2_000
const closeDelay_ms = 60_000
const cache_bytes = 48 * 1024 * 1024
const maxFiles = 2_000
const maxManifest_bytes = 4 * 1024 * 1024

/** Identifies a version of a file. `sidecars` covers its manifest and the -wal and -journal files of a writer. */
type Fingerprint = { inode: number; file: string; sidecars: string; bytes: number; modified_ms: number }
type Entry = {
  fingerprint: Fingerprint
  state: PackStatus['state']
  reason: string | null
  /** The rejection may be temporary, such as a lock; the next scan tries again. */
  isRetryable: boolean
  manifest: PackManifest
  pack: Pack | null
}

function statusOf(file: string, { fingerprint, state, reason, manifest, pack }: Entry): PackStatus {
  const vintage = pack?.datasets.values().next().value?.vintage ?? manifest.vintage
  return {
    file,
    state,
    reason,
    notes: pack?.notes() ?? [],
    datasets: [...(pack?.datasets.keys() ?? [])],
    bytes: fingerprint.bytes,
    vintage,
    licence: manifest.licence,
    attribution: manifest.attribution,
  }
}

function isUnchanged(a: Fingerprint, b: Fingerprint): boolean {
  return a.file === b.file && a.sidecars === b.sidecars
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

async function fingerprintFiles(folder: string): Promise<Map<string, Fingerprint>> {
  const names = await readdir(folder).catch(emptyIfMissing)
  const all = new Set(names)
  const files = names.filter((name) => /^\w[\w.-]*\.(gpkg|tif)$/.test(name)).slice(0, maxFiles)
  const fingerprints = await Promise.all(
    files.map(async (file): Promise<[string, Fingerprint] | null> => {
      const [stats, ...sidecars] = await Promise.all(
        [file, manifestName(file), `${file}-wal`, `${file}-journal`].map(async (name) =>
          all.has(name) ? stat(join(folder, name)).catch(() => null) : null,
        ),
      )
      if (!stats?.isFile()) return null
      const sidecarMarks = sidecars.map((other) => (other ? `${other.ino}:${other.size}:${other.mtimeMs}` : '')).join()
      return [
        file,
        {
          inode: stats.ino,
          file: `${stats.ino}:${stats.size}:${stats.mtimeMs}`,
          sidecars: sidecarMarks,
          bytes: stats.size,
          modified_ms: stats.mtimeMs,
        },
      ]
    }),
  )
  return new Map(fingerprints.filter((fingerprint) => fingerprint !== null))
}

function manifestName(file: string): string {
  return file.replace(/\.\w+$/, '.json')
}

async function readManifest(folder: string, file: string): Promise<PackManifest> {
  const name = manifestName(file)
  const bytes = await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes && bytes.length > maxManifest_bytes)
    throw new PackError(`${name} has ${bytes.length} bytes. The maximum for a manifest is ${maxManifest_bytes}.`)
  return bytes ? parseManifest(bytes.toString('utf8'), name) : emptyManifest
}

/** Larger files go live without a checksum, which would take too long. `fieldstone pack verify` checks them. */
const maxChecksum_bytes = 64 * 1_048_576

async function verifyChecksum(path: string, file: string, sha256: string): Promise<void> {
  const found = await sha256OfFile(path)
  if (found !== sha256)
    throw new PackError(`${file} has the SHA-256 checksum ${found}, but its manifest says ${sha256}.`)
}

/** The reason shown for a rejected file. An error of one file never affects another. */
function messageOf(error: unknown, file: string): string {
  if (error instanceof PackError || error instanceof UpstreamError) return error.message
  return `${file} could not be opened: ${error instanceof Error ? error.message : String(error)}`
}
