import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestName } from './pack-manifest.ts'

/** Identifies a version of a file. `sidecars` covers its manifest and the -wal and -journal files of a writer. */
export type PackFingerprint = { inode: number; file: string; sidecars: string; bytes: number; modified_ms: number }

const maxFiles = 2_000

/** Whether two fingerprints are of the same version. */
export function isUnchanged(a: PackFingerprint, b: PackFingerprint): boolean {
  return a.file === b.file && a.sidecars === b.sidecars
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** The pack files of a folder. A missing folder has none. */
export async function fingerprintFiles(folder: string): Promise<Map<string, PackFingerprint>> {
  const names = await readdir(folder).catch(emptyIfMissing)
  const all = new Set(names)
  const files = names.filter((name) => /^\w[\w.-]*\.(gpkg|tif)$/.test(name)).slice(0, maxFiles)
  const fingerprints = await Promise.all(
    files.map(async (file): Promise<[string, PackFingerprint] | null> => {
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
