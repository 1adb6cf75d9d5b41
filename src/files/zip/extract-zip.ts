import { createWriteStream, mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { listZipEntries, requireWithinLimits, type ZipEntry } from './zip.ts'

/** Lists the files of an archive on disk, as `listZipEntries` does. */
export function readZipEntries(path: string, name = basename(path)): Promise<ZipEntry[]> {
  return listZipEntries(Bun.file(path), name)
}

/**
 * Extracts entries into a folder under their base names and returns the paths. No name in an archive can lead out of
 * the folder. A member that is rejected leaves no file behind.
 * @throws FileError if an entry is corrupt or exceeds `zipLimits` or its declared size.
 */
export async function extractZipEntries(
  archive: string,
  entries: readonly ZipEntry[],
  folder: string,
  name: string,
): Promise<string[]> {
  requireWithinLimits({ size: statSync(archive).size, name }, entries)
  mkdirSync(folder, { recursive: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(folder, basename(entry.path).replace(/^\.+/, '_'))
    try {
      await pipeline(entry.inflate(), createWriteStream(path))
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
    paths.push(path)
  }
  return paths
}
