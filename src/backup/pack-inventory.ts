import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../model/record.ts'
import { listPackPaths } from '../packs/part-files.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { sha256AndSizeOf } from './file-bytes.ts'

/**
 * Larger packs without a checksum in their manifest are not hashed: that would take longer than the rest of the backup.
 */
const maxHashed_bytes = 256 * 1_048_576

/** Lists the packs in a folder. The checksum comes from the manifest of the pack, if it has one. */
export function listPackFiles(folder: string): BackupManifest['packs'] {
  return pathsIn(folder).map((name) => {
    const path = join(folder, name)
    const { size } = statSync(path)
    return {
      name,
      bytes: size,
      sha256:
        manifestChecksum(path.replace(/\.\w+$/, '.json')) ??
        (size <= maxHashed_bytes ? sha256AndSizeOf(path).sha256 : null),
    }
  })
}

function manifestChecksum(manifest: string): string | null {
  try {
    const value = JSON.parse(readFileSync(manifest, 'utf8')) as unknown
    return isRecord(value) && typeof value.sha256 === 'string' && /^[0-9a-f]{64}$/i.test(value.sha256)
      ? value.sha256.toLowerCase()
      : null
  } catch {
    return null // no readable manifest: the caller hashes the pack
  }
}

function pathsIn(folder: string): string[] {
  try {
    return listPackPaths(folder)
  } catch {
    return [] // the folder does not exist
  }
}
