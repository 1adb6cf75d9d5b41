import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tryParseRecord } from '../model/record.ts'
import type { Budget } from '../model/source.ts'
import type { CheckPack } from '../packs/check/pack-checker.ts'
import { FileError } from '../files/file-error.ts'
import { manifestName, parseManifest } from '../packs/pack-manifest.ts'
import { pointerExtension } from '../packs/layer/raster-pointer.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { createWorkFolder } from '../store/work-folder.ts'
import { copyStorageFile, readStorageFile, type StorageReader } from './copy-file.ts'
import type { PackVersion } from './pack-versions.ts'

/** What copying packs needs. */
export type CopyDeps = {
  reader: StorageReader
  folder: string
  check: CheckPack
  /** Moves the staged files, with paths that begin with `packs/`, to their places in the folder, all or none. */
  install(staged: string, folder: string): void
}

/** Copies packs to a folder. */
export type PackCopier = {
  /**
   * Replaces the copy of a pack and of its manifest. The earlier copy stays until the new one is complete and checked.
   * @throws {FileError} if the pack cannot be used. @throws {UpstreamError} if the storage does not answer.
   */
  copy(file: string, version: PackVersion, budget: Budget): Promise<void>
  /** Whether the copy of a pack is still in the folder. */
  isPresent(file: string): boolean
  /** Removes unfinished copies of versions that the storage no longer has. */
  removeStaleParts(versions: ReadonlyMap<string, PackVersion>): void
}

/** The longest manifest, as in a local folder. */
const manifestMax_bytes = 4 * 1024 * 1024

/** Creates a copier. */
export function createPackCopier({ reader, folder, check, install }: CopyDeps): PackCopier {
  return {
    async copy(file, version, budget) {
      const manifest = await readManifestText(reader, version, budget)
      const { sha256 } = parseManifest(manifest ?? '{}', manifestName(file))
      const work = createWorkFolder(folder)
      try {
        const files = join(work.path, 'files')
        const staged = join(files, 'packs', file)
        mkdirSync(dirname(staged), { recursive: true })
        if (isRaster(file)) writeSynced(staged + pointerExtension, JSON.stringify(version.pack))
        else {
          const part = join(folder, partNameOf(version))
          await copyStorageFile(reader, version.pack, part, budget)
          renameSync(part, staged)
          await check(staged, sha256)
        }
        if (manifest !== null) writeSynced(join(files, 'packs', manifestName(file)), manifest)
        install(files, folder)
        if (manifest === null) rmSync(join(folder, manifestName(file)), { force: true })
      } finally {
        work.remove()
      }
    },
    isPresent: (file) => existsSync(join(folder, isRaster(file) ? file + pointerExtension : file)),
    removeStaleParts(versions) {
      const current = new Set([...versions.values()].map(partNameOf))
      for (const name of readdirSync(folder))
        if (name.startsWith(partPrefix) && !current.has(name)) rmSync(join(folder, name), { force: true })
    },
  }
}

/**
 * The text of the manifest; null if there is none. `pack publish` writes the version of the pack into it, so a manifest
 * of another version is noticed: the rest of the publication follows within seconds.
 */
async function readManifestText(
  reader: StorageReader,
  { pack, manifest }: PackVersion,
  budget: Budget,
): Promise<string | null> {
  if (manifest === null) return null
  if (manifest.size_bytes > manifestMax_bytes)
    throw new FileError(`${manifest.name} has ${manifest.size_bytes} bytes. The maximum is ${manifestMax_bytes}.`)
  const text = new TextDecoder().decode(await readStorageFile(reader, manifest, budget))
  const described = describedVersionOf(text)
  if (described === null || described === pack.version) return text
  throw new FileError(`${manifest.name} describes another version of ${pack.name}. Publish the pack again.`, {
    retryable: true,
  })
}

/** The version of the pack that a manifest was published with; null if it does not state one. */
function describedVersionOf(manifest: string): string | null {
  // `parseManifest` says what is wrong with another text.
  const version = tryParseRecord(manifest)?.stored_version
  return typeof version === 'string' ? version : null
}

function isRaster(file: string): boolean {
  return file.endsWith('.tif')
}

function writeSynced(path: string, text: string): void {
  writeFileSync(path, text)
  syncToDisk(path)
}

const partPrefix = '.copy-'

/** The name of an unfinished copy. It belongs to one version of the file. */
function partNameOf({ pack }: PackVersion): string {
  const hash = createHash('sha256').update(`${pack.name} ${pack.version} ${pack.size_bytes}`).digest('hex')
  return `${partPrefix}${hash.slice(0, 32)}.part`
}
