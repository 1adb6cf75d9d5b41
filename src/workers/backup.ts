import { join } from 'node:path'
import { backup } from '../backup/backup.ts'
import type { StorageAnswer, StorageOrder } from '../backup/storage-worker.ts'
import { lookAt } from '../store/read-only.ts'
import { faultIn } from '../store/whole.ts'

declare const self: Worker

/** What reads all of a database takes seconds: it has a thread of its own. */
self.onmessage = ({ data }: MessageEvent<StorageOrder>) => self.postMessage(replyTo(data), [])

function replyTo(order: StorageOrder): StorageAnswer {
  try {
    return 'backup' in order ? { backedUp: backup(order.backup) } : { fault: integrityErrorOf(join(order.check, 'state.db')) }
  } catch (error) {
    return { failed: (error as Error).message }
  }
}

function integrityErrorOf(file: string): string | null {
  const db = lookAt(file)
  try {
    return faultIn(db)
  } finally {
    db.close()
  }
}
