import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileErrorText } from '../model/text.ts'
import { manifestName } from '../packs/pack-manifest.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../store/free-space.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { createWorkFolder } from '../store/work-folder.ts'
import { BackupError } from '../backup/backup-error.ts'
import { readFileChunks, sha256OfRange, writeAll } from '../backup/file-bytes.ts'
import { commitInstall } from '../backup/region-install.ts'
import {
  parseRegionManifest,
  regionKind,
  regionManifestFile,
  regionSignatureFile,
  type RegionManifest,
} from './region-manifest.ts'
import { verifySignature } from './signing-keys.ts'
import { readTarEntries, type TarEntry } from '../backup/tar.ts'

const maxManifest_bytes = 16 * 1_048_576
const maxSignature_bytes = 1_024

/** An open archive. Its signature is valid, and it has exactly the files that its manifest lists. */
export type RegionArchive = {
  manifest: RegionManifest
  handle: number
  entries: ReadonlyMap<string, TarEntry>
  close(): void
}

/** The files of an archive in a work folder, with their checksums verified. */
export type StagedRegion = {
  /** The folder that has the files under the names of the manifest. */
  path: string
  /** Installs all files. From the first step on, they are installed even if the process is killed. */
  install(folders: { packs: string; data: string }): void
  remove(): void
}

/**
 * Opens an archive and verifies its structure and its signature, but not yet its files. The caller decides whether to
 * trust the key.
 * @throws {BackupError} if it is damaged, truncated or not signed.
 */
export function openRegionArchive(file: string): RegionArchive {
  const handle = openArchiveFile(file)
  try {
    return { ...readArchive(handle), handle, close: () => closeSync(handle) }
  } catch (error) {
    closeSync(handle)
    throw error instanceof BackupError ? new BackupError(`${file}: ${error.message}`, { cause: error }) : error
  }
}

/** Compares every file of an archive with its checksum. @throws {BackupError} that names the damaged file. */
export function verifyRegion({ manifest, handle, entries }: RegionArchive): void {
  for (const { name, sha256 } of manifest.files) {
    const { offset, bytes } = entries.get(name)!
    if (sha256OfRange(handle, offset, bytes) !== sha256) throw damagedFileError(name)
  }
}

/**
 * Extracts an archive to a work folder in the packs folder.
 * @throws {BackupError} if a file is damaged, or if the disk has too little space.
 */
export function stageRegion(archive: RegionArchive, packs: string): StagedRegion {
  requireFreeSpace(archive.manifest, packs)
  const work = createWorkFolder(packs)
  try {
    const path = join(work.path, 'files')
    for (const { name, sha256 } of archive.manifest.files)
      extractFile(archive.handle, archive.entries.get(name)!, { path: join(path, name), sha256 })
    writeMissingManifests(path, archive.manifest, packs)
    return { path, install: (folders) => commitInstall(path, folders), remove: work.remove }
  } catch (error) {
    work.remove()
    throw error
  }
}

function openArchiveFile(file: string): number {
  if (!existsSync(file)) throw new BackupError(`The file ${file} does not exist.`)
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    return openSync(file, 'r')
  } catch (cause) {
    throw new BackupError(`Cannot read ${file}: ${fileErrorText(cause)}.`, { cause })
  }
}

function readArchive(handle: number): Pick<RegionArchive, 'manifest' | 'entries'> {
  const listed = readTarEntries(handle, regionKind)
  const entries = new Map(listed.map((entry) => [entry.name, entry]))
  const manifestEntry = entries.get(regionManifestFile)
  const signatureEntry = entries.get(regionSignatureFile)
  if (!manifestEntry || manifestEntry.bytes > maxManifest_bytes)
    throw new BackupError(`Not a Fieldstone ${regionKind.what}: it has no ${regionManifestFile}.`)
  if (!signatureEntry || signatureEntry.bytes > maxSignature_bytes)
    throw new BackupError(
      `Unsigned ${regionKind.what}: it has no ${regionSignatureFile}. Export it with \`fieldstone pack export\`.`,
    )
  const bytes = bytesOf(handle, manifestEntry)
  const manifest = parseRegionManifest(new TextDecoder().decode(bytes))
  if (!verifySignature(bytes, new TextDecoder().decode(bytesOf(handle, signatureEntry)).trim(), manifest.public_key))
    throw new BackupError(
      `Damaged ${regionKind.what}: the signature of ${regionManifestFile} is not valid. Export it again.`,
    )
  requireListedFiles(manifest, listed)
  return { manifest, entries }
}

/** Requires exactly the listed files, each once and with its listed size. */
function requireListedFiles({ files }: RegionManifest, listed: readonly TarEntry[]): void {
  const expected = new Map(files.map(({ name, bytes }) => [name, bytes]))
  const found = new Set<string>()
  for (const { name, bytes } of listed) {
    if (name === regionManifestFile || name === regionSignatureFile) continue
    if (found.has(name) || expected.get(name) !== bytes) throw damagedFileError(name)
    found.add(name)
  }
  const missing = files.find(({ name }) => !found.has(name))
  if (missing) throw new BackupError(`Damaged ${regionKind.what}: ${missing.name} is missing. Export it again.`)
  const names = listed.map(({ name }) => name)
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw damagedFileError(repeated)
}

function damagedFileError(name: string): BackupError {
  return new BackupError(
    `Damaged ${regionKind.what}: ${JSON.stringify(name)} does not match its size and checksum in ${regionManifestFile}. Export it again.`,
  )
}

function bytesOf(handle: number, { offset, bytes }: TarEntry): Uint8Array {
  const content = Buffer.alloc(bytes)
  readSync(handle, content, 0, bytes, offset)
  return content
}

function requireFreeSpace({ files }: RegionManifest, packs: string): void {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, 0) + minFreeSpace_bytes
  const free = freeBytesIn(packs)
  if (free >= needed) return
  throw new BackupError(
    `The import needs ${Math.ceil(needed / 1e6)} MB on the disk of ${packs}, and ${Math.floor(free / 1e6)} MB are free. Free some space. Nothing was changed.`,
  )
}

function extractFile(
  handle: number,
  { name, offset, bytes }: TarEntry,
  { path, sha256 }: { path: string; sha256: string },
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  const hasher = new Bun.CryptoHasher('sha256')
  const target = openSync(path, 'wx', 0o644)
  try {
    for (const chunk of readFileChunks(handle, offset, bytes)) {
      hasher.update(chunk)
      writeAll(target, chunk)
    }
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
  if (hasher.digest('hex') !== sha256) throw damagedFileError(name)
  syncToDisk(dirname(path))
}

/** An installed manifest must not describe a new pack that has none. */
function writeMissingManifests(path: string, { packs }: RegionManifest, folder: string): void {
  for (const { file } of packs) {
    const manifest = manifestName(file)
    if (file.endsWith('.sqlite') || existsSync(join(path, 'packs', manifest)) || !existsSync(join(folder, manifest)))
      continue
    writeFileSync(join(path, 'packs', manifest), '{}\n', { flush: true })
  }
}
