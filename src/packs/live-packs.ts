/**
 * The data on this machine: packs and embedded layers. `layer/` reads layers and finds features, `addresses/` finds
 * addresses, and `check/` verifies files.
 */
import { join } from 'node:path'
import { createByteCache } from './layer/byte-cache.ts'
import { packDatasetOf, type PackEntry } from './pack-entry.ts'
import { isFileUnchanged, type PackFingerprint } from './check/pack-fingerprints.ts'
import { readManifest } from './pack-manifest.ts'
import { openGeopackagePack, type BuiltIndexes, type PackDataset, type PackRequirements } from './pack.ts'
import { packNameOf } from './part-files.ts'

/** A GeoPackage that the pack folder has checked and opened. Another thread can open it too. */
export type LivePackFile = {
  folder: string
  file: string
  fingerprint: PackFingerprint
  indexes: BuiltIndexes
  requirements: readonly PackRequirements[]
}

type OpenedFile = Pick<PackEntry, 'fingerprint' | 'manifest' | 'pack'> & { folder: string }

const cache_bytes = 16 * 1024 * 1024

/** GeoPackages that a thread reads beside the thread that has the pack folder. */
export class LivePacks {
  readonly #cache = createByteCache(cache_bytes)
  readonly #entries = new Map<string, OpenedFile>()

  /** Opens the files that are not open. @throws Error if one of them has changed since it was checked, or is gone. */
  open(files: readonly LivePackFile[]): void {
    for (const { folder, file, fingerprint, indexes, requirements } of files) {
      if (this.#entries.has(file)) continue
      const manifest = readManifest(folder, file)
      const opened = { manifest, indexes, name: packNameOf(file) }
      const pack = openGeopackagePack(join(folder, file), opened, requirements, this.#cache)
      this.#entries.set(file, { folder, fingerprint, manifest, pack })
    }
    if (!this.areUnchanged()) throw new Error('A pack has changed since it was checked.')
  }

  /** Whether all open files, and their manifests, are those that were checked. */
  areUnchanged(): boolean {
    return this.#entries
      .entries()
      .every(([file, { folder, fingerprint }]) => isFileUnchanged(folder, file, fingerprint))
  }

  /** The data that the open files provide for a dataset; null if there is none. */
  dataset(file: string, dataset: string): PackDataset | null {
    return packDatasetOf(this.#entries, file, dataset)
  }

  close(): void {
    for (const { pack } of this.#entries.values()) pack?.close()
    this.#entries.clear()
  }
}
