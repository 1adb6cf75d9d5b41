import { statSync, type Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '../../files/file-error.ts'
import { manifestName } from '../pack-manifest.ts'
import { packPathPattern, partFolderPattern } from '../part-files.ts'
import { pointerExtension } from '../layer/raster-pointer.ts'

/**
 * Identifies a version of a file. `sidecars` covers its manifest and the -wal and -journal files of a writer.
 * `isPointer`: a pointer file stands for the file, which is in storage.
 */
export type PackFingerprint = {
  inode: number
  file: string
  sidecars: string
  bytes: number
  modified_ms: number
  isPointer: boolean
}

/** The extensions of pack files. */
export const packExtensions = ['.gpkg', '.tif'] as const

const maxFiles = 10_000

/** Whether two fingerprints are of the same version. */
export function isUnchanged(a: PackFingerprint, b: PackFingerprint): boolean {
  return a.file === b.file && a.sidecars === b.sidecars
}

/** Whether a file, which is no pointer, and its sidecars are still of the version with this fingerprint. */
export function isFileUnchanged(folder: string, file: string, fingerprint: PackFingerprint): boolean {
  const [version, ...sidecars] = [file, ...sidecarsOf(file)].map((name) =>
    versionOf(statSync(join(folder, name), { throwIfNoEntry: false })),
  )
  return version === fingerprint.file && sidecars.join() === fingerprint.sidecars
}

/** The manifest of a file, and what a program leaves beside it while it writes. */
function sidecarsOf(file: string): string[] {
  return [manifestName(file), `${file}-wal`, `${file}-journal`]
}

function versionOf(stats: Stats | null | undefined): string {
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : ''
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

/**
 * The pack files of a folder and of its folders of parts, by their path in the folder. A missing folder has none.
 * @throws FileError if there are more than `maxFiles`.
 */
export async function fingerprintFiles(
  folder: string,
  isPartFolder: (name: string) => boolean,
): Promise<Map<string, PackFingerprint>> {
  const names = await readdir(folder).catch(emptyIfMissing)
  const partFolders = names.filter((name) => partFolderPattern.test(name) && isPartFolder(name))
  const paths = [names, ...(await Promise.all(partFolders.map((name) => listParts(folder, name))))].flat()
  const files = [...new Set(paths.map(withoutPointerExtension))].filter((path) => packPathPattern.test(path))
  if (files.length > maxFiles)
    throw new FileError(
      `${folder} has ${files.length} pack files, and the maximum is ${maxFiles}. Combine some of them.`,
    )
  const all = new Set(paths)
  const fingerprints = await Promise.all(files.map((file) => fingerprintFile(folder, file, all)))
  return new Map(fingerprints.filter((fingerprint) => fingerprint !== null))
}

/** The pack that a path stands for. Only rasters have pointers. */
function withoutPointerExtension(path: string): string {
  return path.endsWith(`.tif${pointerExtension}`) ? path.slice(0, -pointerExtension.length) : path
}

async function listParts(folder: string, name: string): Promise<string[]> {
  const names = await readdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') return []
    return emptyIfMissing(error)
  })
  return names.map((part) => `${name}/${part}`)
}

async function fingerprintFile(
  folder: string,
  file: string,
  all: ReadonlySet<string>,
): Promise<[string, PackFingerprint] | null> {
  const isPointer = !all.has(file)
  const path = isPointer ? file + pointerExtension : file
  const [stats, ...sidecars] = await Promise.all(
    [path, ...sidecarsOf(file)].map(async (name) =>
      all.has(name) ? stat(join(folder, name)).catch(() => null) : null,
    ),
  )
  if (!stats?.isFile()) return null
  return [
    file,
    {
      inode: stats.ino,
      file: versionOf(stats),
      sidecars: sidecars.map(versionOf).join(),
      bytes: stats.size,
      modified_ms: stats.mtimeMs,
      isPointer,
    },
  ]
}
