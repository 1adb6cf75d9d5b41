import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UpstreamError } from '../model/error.ts'
import { openByteCache } from './byte-cache.ts'
import { manifestOf, noManifest, type Manifest } from './pack-manifest.ts'
import { PackRefused } from './pack-refused.ts'
import type { PackStatus } from './pack-status.ts'
import { openGeopackagePack, rasterPack, type Expected, type Offer, type Pack, type RasterFile } from './pack.ts'

/** The folder of local files, looked through twice a second. */
export type Packs = {
  list(): PackStatus[]
  /** Why the folder cannot be looked through; null where it can, or where there is none. What was live in it stays so. */
  fault(): string | null
  /** What a file gives a dataset; `null` when it is not there, not yet checked, or refused. */
  offer(file: string, dataset: string): Offer | null
  /** The callback is told each time that what is live has changed. */
  onChange(changed: () => void): void
  /** Looks through the folder now, and waits for it; a file that is new is live after the second look. */
  poll(): Promise<void>
  /** Has every file checked again: the catalog expects something else now. */
  recheck(): void
  close(): void
}

/** `expected`: what the datasets of the catalog read from a file; none, where no dataset is read from a file of that name. */
export type PacksOptions = {
  expected: (file: string) => readonly Expected[]
  rasters: { openFile(path: string): Promise<RasterFile> } | null
  log: { info(event: string, about?: Record<string, unknown>): void }
  now: () => Date
}

/** Opens the folder; a folder that is not there has no files. Nothing that lies in it can make this throw. */
export function openPacks(folder: string, { expected, rasters, log, now }: PacksOptions): Packs {
  const cache = openByteCache(cache_bytes)
  const entries = new Map<string, Entry>()
  const retired = new Set<Pack>()
  const listeners: (() => void)[] = []
  let isOpen = true
  let looking = Promise.resolve()
  let waiting = 0
  let hasChanged = false
  let fault: string | null = null
  // A look that takes long (a checksum) is not joined by more of them.
  const timer = setInterval(() => waiting === 0 && void poll(), poll_ms)
  timer.unref()
  void poll()
  return {
    list: () => [...entries].map(([file, entry]) => statusOf(file, entry)).toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    fault: () => fault,
    offer: (file, dataset) => entries.get(file)?.pack?.offers.get(dataset) ?? null,
    onChange: (changed) => void listeners.push(changed),
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
    waiting++
    looking = looking.then(look).finally(() => waiting--)
    return looking
  }

  async function look(): Promise<void> {
    const found = await filesIn(folder).catch(unreadable)
    if (!isOpen || !found) return
    fault = null
    for (const [file, entry] of entries) {
      if (found.has(file)) continue
      retire(entry)
      entries.delete(file)
      log.info('pack_removed', { file })
    }
    for (const [file, mark] of found) {
      const entry = entries.get(file)
      if (entry && isSame(entry.mark, mark)) {
        if (entry.state === 'checking' || entry.isPassing) await check(file, entry)
      } else await noticed(file, mark, entry)
      if (!isOpen) return
    }
    if (!hasChanged) return
    hasChanged = false
    for (const changed of listeners) changed()
  }

  function unreadable(error: Error): null {
    const before = fault
    fault = `${folder} cannot be read: ${error.message}. Let the account that this service runs under read it.`
    if (fault !== before) log.info('packs_unreadable', { reason: fault })
    return null
  }

  /** A file that is new or other than before waits for the next look, lest it is still being copied; one that has lain there for a while need not. */
  async function noticed(file: string, mark: Mark, before: Entry | undefined): Promise<void> {
    // The same file written over: what is open is no longer what was opened. One that was put in its place (or a new manifest) leaves it whole.
    if (before?.pack && before.mark.inode === mark.inode && before.mark.data !== mark.data) retire(before)
    const entry: Entry = { mark, state: 'checking', reason: null, isPassing: false, manifest: before?.manifest ?? noManifest, pack: before?.pack ?? null }
    entries.set(file, entry)
    if (!before && now().getTime() - mark.written_ms >= settled_ms) await check(file, entry)
  }

  async function check(file: string, entry: Entry): Promise<void> {
    let pack: Pack | null = null
    try {
      entry.manifest = await readManifest(folder, file)
      if (entry.manifest.sha256 !== null && (await stat(join(folder, file))).size <= summedMax_bytes) await checkSum(join(folder, file), file, entry.manifest.sha256)
      pack = await open(file, entry.manifest)
      entry.reason = null
      entry.isPassing = false
      log.info('pack_live', { file, datasets: [...pack.offers.keys()] })
    } catch (error) {
      const before = entry.reason
      entry.reason = sentenceOf(error, file)
      entry.isPassing = error instanceof PackRefused && error.passing
      if (entry.reason !== before) log.info('pack_refused', { file, reason: entry.reason })
    }
    // It was removed, or the service closed, while it was being opened.
    if (!isOpen || entries.get(file) !== entry) return pack?.close()
    retire(entry)
    entry.pack = pack
    entry.state = pack ? 'live' : 'refused'
    hasChanged ||= pack !== null
  }

  async function open(file: string, manifest: Manifest): Promise<Pack> {
    const wanted = expected(file)
    if (wanted.length === 0) throw new PackRefused(`No dataset of the catalog is read from a file of the name ${file}.`)
    const path = join(folder, file)
    if (!file.endsWith('.tif')) return openGeopackagePack(path, manifest, wanted, cache)
    if (!rasters) throw new PackRefused(`${file} is a raster, and this service reads none.`)
    return rasterPack(await rasters.openFile(path), manifest, wanted)
  }

  /** Requests that are under way may still read from it: it is closed when the last of them must have ended. */
  function retire(entry: Entry): void {
    const { pack } = entry
    if (!pack) return
    entry.pack = null
    hasChanged = true
    retired.add(pack)
    setTimeout(() => {
      if (retired.delete(pack)) pack.close()
    }, grace_ms).unref()
  }
}

const poll_ms = 500
const settled_ms = 2_000
const grace_ms = 60_000
const cache_bytes = 48 * 1024 * 1024
const mostFiles = 2_000
const manifestMost_bytes = 4 * 1024 * 1024

/** By what a file is known again: `data` of the file itself, `beside` of its manifest and of what a writer leaves beside it. */
type Mark = { inode: number; data: string; beside: string; bytes: number; written_ms: number }
/** `isPassing`: it is refused for what may be over soon, such as a lock, and is tried again. */
type Entry = { mark: Mark; state: PackStatus['state']; reason: string | null; isPassing: boolean; manifest: Manifest; pack: Pack | null }

function statusOf(file: string, { mark, state, reason, manifest, pack }: Entry): PackStatus {
  const vintage = pack?.offers.values().next().value?.vintage ?? manifest.vintage
  return { file, state, reason, notes: pack?.notes() ?? [], datasets: [...(pack?.offers.keys() ?? [])], bytes: mark.bytes, vintage, licence: manifest.licence, attribution: manifest.attribution }
}

function isSame(a: Mark, b: Mark): boolean {
  return a.data === b.data && a.beside === b.beside
}

function noneWhereNoFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

async function filesIn(folder: string): Promise<Map<string, Mark>> {
  const names = await readdir(folder).catch(noneWhereNoFolder)
  const all = new Set(names)
  const files = names.filter((name) => /^\w[\w.-]*\.(gpkg|tif)$/.test(name)).slice(0, mostFiles)
  const marks = await Promise.all(files.map(async (file): Promise<[string, Mark] | null> => {
    const [it, ...beside] = await Promise.all([file, manifestName(file), `${file}-wal`, `${file}-journal`].map(async (name) => (all.has(name) ? stat(join(folder, name)).catch(() => null) : null)))
    if (!it?.isFile()) return null
    const text = beside.map((other) => (other ? `${other.ino}:${other.size}:${other.mtimeMs}` : '')).join()
    return [file, { inode: it.ino, data: `${it.ino}:${it.size}:${it.mtimeMs}`, beside: text, bytes: it.size, written_ms: it.mtimeMs }]
  }))
  return new Map(marks.filter((mark) => mark !== null))
}

function manifestName(file: string): string {
  return file.replace(/\.\w+$/, '.json')
}

async function readManifest(folder: string, file: string): Promise<Manifest> {
  const name = manifestName(file)
  const bytes = await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes && bytes.length > manifestMost_bytes) throw new PackRefused(`${name} has ${bytes.length} bytes; a manifest has at most ${manifestMost_bytes}.`)
  return bytes ? manifestOf(bytes.toString('utf8'), name) : noManifest
}

/** Of a larger file the sum is checked by `fieldstone pack verify`: a pack is to be live at once. */
const summedMax_bytes = 64 * 1_048_576

async function checkSum(path: string, file: string, sha256: string): Promise<void> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hasher.update(chunk as Buffer)
  const found = hasher.digest('hex')
  if (found !== sha256) throw new PackRefused(`${file} has the checksum (SHA-256) ${found}; its manifest says ${sha256}.`)
}

/** Whatever goes wrong with one file is told of that file, and of no other. */
function sentenceOf(error: unknown, file: string): string {
  if (error instanceof PackRefused || error instanceof UpstreamError) return error.message
  return `${file} could not be opened: ${error instanceof Error ? error.message : String(error)}`
}
