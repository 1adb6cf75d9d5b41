import type { BackupResult, BackupOptions } from './backup.ts'

/** What the worker of the storage is asked for: a backup, or a look through the whole state of a data folder. */
export type StorageJob = { backup: BackupOptions } | { check: string }

/** What came of it; `fault`: null when the state is whole. */
export type StorageResult = { backup: BackupResult } | { integrity_error: string | null } | { error: string }

/** Starts the worker for one order, and ends it. */
export function runStorageJob(job: StorageJob, startWorker: () => Worker): Promise<StorageResult> {
  const worker = startWorker()
  const { promise, resolve } = Promise.withResolvers<StorageResult>()
  worker.onmessage = ({ data }: MessageEvent<StorageResult>) => resolve(data)
  worker.onerror = (event) => {
    event.preventDefault()
    resolve({ error: `Its worker failed: ${event.message}` })
  }
  worker.addEventListener('close', () => resolve({ error: 'Its worker ended.' }))
  worker.postMessage(job, [])
  return promise.finally(() => worker.terminate())
}
