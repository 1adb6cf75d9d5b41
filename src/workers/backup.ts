import { join } from 'node:path'
import { createBackup } from '../backup/backup.ts'
import type { StorageResult, StorageJob } from '../backup/storage-worker.ts'
import { openForInspection } from '../store/sqlite/read-only.ts'
import { findIntegrityError } from '../store/sqlite/repair/integrity-check.ts'

declare const self: Worker

/** Backs up or checks a database. Both read all of it, which takes seconds and would block the main thread. */
self.onmessage = ({ data }: MessageEvent<StorageJob>) => self.postMessage(replyTo(data), [])

function replyTo(job: StorageJob): StorageResult {
  try {
    return 'backup' in job
      ? { backup: createBackup(job.backup) }
      : { integrity_error: integrityErrorOf(join(job.check, 'state.db')) }
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
