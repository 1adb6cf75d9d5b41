import type { BackedUp, BackupOrder } from './backup.ts'

/** What the worker of the storage is asked for: a backup, or a look through the whole state of a data folder. */
export type StorageOrder = { backup: BackupOrder } | { check: string }

/** What came of it; `fault`: null when the state is whole. */
export type StorageAnswer = { backedUp: BackedUp } | { fault: string | null } | { failed: string }

/** Starts the worker for one order, and ends it. */
export function ordered(order: StorageOrder, startWorker: () => Worker): Promise<StorageAnswer> {
  const worker = startWorker()
  const { promise, resolve } = Promise.withResolvers<StorageAnswer>()
  worker.onmessage = ({ data }: MessageEvent<StorageAnswer>) => resolve(data)
  worker.onerror = (event) => {
    event.preventDefault()
    resolve({ failed: `Its worker failed: ${event.message}` })
  }
  worker.addEventListener('close', () => resolve({ failed: 'Its worker ended.' }))
  worker.postMessage(order, [])
  return promise.finally(() => worker.terminate())
}
