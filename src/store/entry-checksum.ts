import { damagedDataError } from './storage-error.ts'

/** A stored result: the text or bytes of its entry, and the checksum that was stored with it. */
export type CheckedEntry = { idx: number; ok: number | boolean; entry: string | Uint8Array; checksum: number | null }

/** The checksum of a result, which is stored with it: of its entry, its index and whether it succeeded. */
export function entryChecksum({ idx, ok, entry }: Omit<CheckedEntry, 'checksum'>): number {
  return (Bun.hash.crc32(entry) ^ (2 * idx + Number(ok))) >>> 0
}

/** Whether a result is as it was written. Results of versions before 1.0.0 have no checksum. */
export function isIntactEntry(result: CheckedEntry): boolean {
  return result.checksum === null || result.checksum === entryChecksum(result)
}

/** @throws {ApiError} `stored_data_damaged` if a result is not as it was written. */
export function requireIntactEntry(result: CheckedEntry): void {
  if (!isIntactEntry(result)) throw damagedDataError(`The result of location ${result.idx}`)
}

/** Of each result of a group: its index, whether it succeeded, the size of its entry, and its checksum. */
type GroupMember = [idx: number, ok: number, bytes: number, checksum: number | null]

/**
 * Checks entries that are joined with commas, after a start of some bytes.
 * @throws {ApiError} `stored_data_damaged`.
 */
export function requireIntactGroup(members: string, joined: Uint8Array, start_bytes: number): void {
  let position = start_bytes
  for (const [idx, ok, bytes, checksum] of JSON.parse(members) as GroupMember[]) {
    requireIntactEntry({ idx, ok, checksum, entry: joined.subarray(position, position + bytes) })
    position += bytes + 1
  }
}
