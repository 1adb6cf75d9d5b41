import type { BackupResult, BackupOptions } from './backup.ts'

/** A job of the storage worker: make a backup, or check the whole database of a data folder. */
export type StorageJob = { backup: BackupOptions } | { check: string }

/** The result of a job. `integrity_error` is null if the database is intact. */
export type StorageResult = { backup: BackupResult } | { integrity_error: string | null } | { error: string }

/** Runs one job in a new worker. Resolves with an `error` result if the worker fails. */
export function runStorageJob(job: StorageJob, startWorker: () => Worker): Promise<StorageResult> {
  const worker = startWorker()
  const { promise, resolve } = Promise.withResolvers<StorageResult>()
  worker.onmessage = ({ data }: MessageEvent<StorageResult>) => resolve(data)
  worker.onerror = (event) => {
    event.preventDefault()
    resolve({ error: `The storage worker failed: ${event.message}` })
  }
  worker.addEventListener('close', () => resolve({ error: 'The storage worker ended early.' }))
  worker.postMessage(job, [])
  return promise.finally(() => worker.terminate())
}
