import { damagedDataError } from './storage-error.ts'

/** A stored result: the text or bytes of its entry, and the checksum that was stored with it. */
export type CheckedEntry = { idx: number; ok: number | boolean; entry: string | Uint8Array; checksum: number | null }

/** The checksum of a result, which is stored with it: of its entry, its index and whether it succeeded. */
export function entryChecksum({ idx, ok, entry }: Omit<CheckedEntry, 'checksum'>): number {
  return (Bun.hash.crc32(entry) ^ (2 * idx + Number(ok))) >>> 0
}

/** Whether a result is as it was written. Results of earlier versions have no checksum. */
export function isIntactEntry(result: CheckedEntry): boolean {
  return result.checksum === null || result.checksum === entryChecksum(result)
}

/** @throws {ApiError} `stored_data_damaged` if a result is not as it was written. */
export function requireIntactEntry(result: CheckedEntry): void {
  if (!isIntactEntry(result)) throw damagedDataError(`The result of location ${result.idx}`)
}

/** A stored location of a run, and the checksum that was stored with it. */
export type CheckedLocation = {
  idx: number
  input: string
  passthrough: string | null
  original_index: number | null
  checksum: number | null
}

/** The checksum of a location. A copy with another index has another one, which SQL computes from this one. */
export function locationChecksum(location: Omit<CheckedLocation, 'checksum'>): number {
  const { idx, input, passthrough, original_index } = location
  return Bun.hash.crc32(`${input}\t${passthrough ?? ''}`) + idx + (original_index ?? -1)
}

/** Whether a location is as it was written. Locations of earlier versions have no checksum. */
export function isIntactLocation(location: CheckedLocation): boolean {
  return location.checksum === null || location.checksum === locationChecksum(location)
}

/** @throws {ApiError} `stored_data_damaged` if a location is not as it was written. */
export function requireIntactLocation(location: CheckedLocation): void {
  if (!isIntactLocation(location)) throw damagedDataError(`Location ${location.idx} of the run`)
}
