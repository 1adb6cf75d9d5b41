import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../model/record.ts'
import type { Contents } from './contents.ts'
import { summed } from './bytes.ts'

/** Of a larger pack without a checksum of its own none is made: reading it would take longer than all the rest. */
const summedMax_bytes = 256 * 1_048_576

/** The packs that lie in a folder: their names, sizes and checksums; a checksum that is told beside a pack is taken as it is told. */
export function packsIn(folder: string): Contents['packs'] {
  return namesIn(folder).filter((name) => /^\w[\w.-]*\.(gpkg|tif)$/.test(name)).toSorted().map((name) => {
    const path = join(folder, name)
    const { size } = statSync(path)
    return { name, bytes: size, sha256: toldSum(path.replace(/\.\w+$/, '.json')) ?? (size <= summedMax_bytes ? summed(path).sha256 : null) }
  })
}

function toldSum(manifest: string): string | null {
  try {
    const told = JSON.parse(readFileSync(manifest, 'utf8')) as unknown
    return isRecord(told) && typeof told.sha256 === 'string' && /^[0-9a-f]{64}$/i.test(told.sha256) ? told.sha256.toLowerCase() : null
  } catch {
    return null // no manifest, or none that can be read: the pack is summed
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no folder: no packs
  }
}
