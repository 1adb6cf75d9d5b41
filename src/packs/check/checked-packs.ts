import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRecord } from '../../model/record.ts'
import { replaceFile, tryReadJson } from '../../files/small-files.ts'

/**
 * The packs that passed the check, each with its identity at that time, so that they are not read again. `sha256` is
 * the checksum in the manifest of the pack.
 */
export type CheckedPacks = {
  has(path: string, sha256: string | null): boolean
  add(path: string, sha256: string | null): void
}

/** A higher number makes every file be checked again. */
const checkVersion = 1

/**
 * Keeps the list in `checked-packs.json` of the data folder. The file is read for each pack, because the service and
 * `fieldstone pack build` add to it at the same time.
 */
export function createCheckedPacks(dataFolder: string): CheckedPacks {
  const file = join(dataFolder, 'checked-packs.json')
  return {
    has: (path, sha256) => readIdentities(file).get(resolve(path)) === identityOf(path, sha256),
    add(path, sha256) {
      const identities = [...readIdentities(file)].filter(([other]) => existsSync(other))
      const all = Object.fromEntries([...identities, [resolve(path), identityOf(path, sha256)]])
      try {
        replaceFile(file, JSON.stringify(all))
      } catch {
        // A missing or read-only data folder: the pack is checked again at the next start.
      }
    },
  }
}

function readIdentities(file: string): Map<string, string> {
  const records = tryReadJson(file)
  // Without the list, every pack is checked.
  return new Map(isRecord(records) ? Object.entries(records).map(([path, identity]) => [path, String(identity)]) : [])
}

/** Includes the time of the last change of the inode, which a program cannot set. */
function identityOf(path: string, sha256: string | null): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return [checkVersion, stats?.ino, stats?.size, stats?.mtimeMs, stats?.ctimeMs, sha256].join(':')
}
