import { UpstreamError } from '../model/error.ts'
import { FileError } from '../files/file-error.ts'
import { emptyManifest, type PackManifest } from './pack-manifest.ts'
import type { PackFingerprint } from './check/pack-fingerprints.ts'
import type { PackStatus } from './check/pack-status.ts'
import { combineParts } from './pack-parts.ts'
import { isPackOrPart } from './part-files.ts'
import type { BuiltIndexes, Pack, PackDataset, PackPart } from './pack.ts'

/** A file of the pack folder: its version, what is known about it, and the open pack if it is live. */
export type PackEntry = {
  fingerprint: PackFingerprint
  state: PackStatus['state']
  reason: string | null
  /** The rejection may be temporary, such as a lock; the next scan tries again. */
  isRetryable: boolean
  isBeingChecked: boolean
  manifest: PackManifest
  pack: Pack | null
  /** The box trees that the check has built. */
  indexes: BuiltIndexes
  /** The size of the file in storage that a pointer stands for. */
  stored_bytes?: number
}

/** The entry of a new or changed file. The pack of the previous version stays open until the new one is checked. */
export function createPackEntry(fingerprint: PackFingerprint, previous: PackEntry | undefined): PackEntry {
  return {
    fingerprint,
    state: 'checking',
    reason: null,
    isRetryable: false,
    isBeingChecked: false,
    manifest: previous?.manifest ?? emptyManifest,
    pack: previous?.pack ?? null,
    indexes: new Map(),
  }
}

/** What the open files provide for a dataset together; null if there is none. */
export function packDatasetOf(
  entries: ReadonlyMap<string, Pick<PackEntry, 'manifest' | 'fingerprint' | 'pack'>>,
  file: string,
  dataset: string,
): PackDataset | null {
  const parts = [...entries]
    .filter(([name]) => isPackOrPart(name, file, dataset))
    .toSorted(([, a], [, b]) => obtainedAtOf(b) - obtainedAtOf(a))
    .flatMap(([, { pack }]) => pack?.datasets.get(dataset) ?? [])
  return parts.length === 0 ? null : combineParts(parts)
}

/** When the data was read from the publisher, or else written, in milliseconds since 1970. */
function obtainedAtOf({ manifest, fingerprint }: Pick<PackEntry, 'manifest' | 'fingerprint'>): number {
  return manifest.fetchedAt === null ? fingerprint.modified_ms : Date.parse(manifest.fetchedAt)
}

/** The status of a file, as shown to the operator. */
export function packStatusOf(
  file: string,
  { fingerprint, state, reason, manifest, pack, stored_bytes = fingerprint.bytes }: PackEntry,
): PackStatus {
  const vintage = pack?.datasets.values().next().value?.vintage ?? manifest.vintage
  return {
    file,
    state,
    reason,
    notes: pack?.notes() ?? [],
    datasets: [...(pack?.datasets.keys() ?? [])],
    bytes: stored_bytes,
    area: manifest.area,
    fetched_at: manifest.fetchedAt,
    vintage,
    license: manifest.license,
    attribution: manifest.attribution,
  }
}

/** The state of a file of the folder, and why it is rejected. */
export type FileState = { file: string } & Pick<PackEntry, 'state' | 'reason'>

/** The state of a file. */
export function fileStateOf(file: string, { state, reason }: PackEntry): FileState {
  return { file, state, reason }
}

/** The data of one dataset in a pack file, the name of its area if the manifest has one, and where it is complete. */
export type InstalledData = { dataset: string; area: string | null } & Pick<PackPart, 'box' | 'covers'>

/** The data of each dataset of a pack. */
export function installedDataOf({ datasets }: Pack, area: string | null): InstalledData[] {
  return [...datasets].map(([dataset, { box, covers }]) => ({ dataset, area, box, covers }))
}

/** The reason shown for a rejected file. An error of one file never affects another. */
export function rejectionReasonOf(error: unknown, file: string): string {
  if (error instanceof FileError || error instanceof UpstreamError) return error.message
  return `${file} could not be opened: ${error instanceof Error ? error.message : String(error)}`
}
