import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './store-error.ts'

/** The database of a restore that has not finished. It is renamed to `state.db` in the last step. */
export const unfinishedStateFile = 'state.db.unfinished'

/** Whether a restore into the folder was interrupted, or is running. */
export function isRestoreUnfinished(folder: string): boolean {
  return existsSync(join(folder, unfinishedStateFile))
}

/**
 * Rejects a folder in the middle of a restore. A server would start with a new owner and without the data of the
 * backup. @throws {StoreError}
 */
export function requireFinishedRestore(folder: string): void {
  if (isRestoreUnfinished(folder))
    throw new StoreError(
      `A restore into ${folder} was interrupted, so its data is incomplete. Nothing was changed. Run \`fieldstone restore <file> --data ${folder}\` again; it replaces what the interrupted restore wrote.`,
    )
}
