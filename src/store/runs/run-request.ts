import { damagedDataError, parseStored } from '../storage-error.ts'
import type { StoredRun } from './runs.ts'

/** What a run was submitted with. It never changes. */
export const requestColumns = [
  'id',
  'account_id',
  'scopes',
  'kind',
  'created_at',
  'expires_at',
  'selection',
  'fields',
  'margin_fields',
  'columns',
  'catalog_version',
  'name',
  'retry_of',
  'total',
] as const satisfies (keyof StoredRun)[]

export type StoredRequest = Pick<StoredRun, (typeof requestColumns)[number]>

/** The checksum of the request of a run, which is stored with it. */
export function requestChecksum(run: StoredRequest): number {
  return Bun.hash.crc32(JSON.stringify(requestColumns.map((column) => run[column])))
}

/** @throws {ApiError} `stored_data_damaged` if the request of a run is not as it was written. */
export function requireIntactRequest(run: StoredRequest & Pick<StoredRun, 'checksum'>): void {
  if (run.checksum !== null && run.checksum !== requestChecksum(run)) throw damagedDataError(`The request of ${run.id}`)
}

/**
 * Parses a JSON column of a run.
 * @throws {ApiError} `stored_data_damaged` if the request of the run is not as it was written.
 */
export function parseRunColumn<Column extends 'selection' | 'fields' | 'margin_fields' | 'columns'>(
  run: StoredRun,
  column: Column,
): Column extends 'selection' ? Record<string, unknown> : string[] {
  requireIntactRequest(run)
  return parseStored(run[column], `The request of ${run.id} (${column})`) as never
}
