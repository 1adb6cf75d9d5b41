import { join } from 'node:path'
import { createBackup } from '../backup/backup.ts'
import type { StorageResult, StorageJob } from '../backup/storage-worker.ts'
import { openForInspection } from '../store/read-only.ts'
import { findIntegrityError } from '../store/integrity-check.ts'

declare const self: Worker

/** What reads all of a database takes seconds: it has a thread of its own. */
self.onmessage = ({ data }: MessageEvent<StorageJob>) => self.postMessage(replyTo(data), [])

function replyTo(order: StorageJob): StorageResult {
  try {
    return 'backup' in order
      ? { backup: createBackup(order.backup) }
      : { integrity_error: integrityErrorOf(join(order.check, 'state.db')) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

function integrityErrorOf(file: string): string | null {
  const db = openForInspection(file)
  try {
    return findIntegrityError(db)
  } finally {
    db.close()
  }
}
