import { dirname, join } from 'node:path'
import { fullDiskError } from '../store/sqlite/copy-state.ts'
import { storageErrorOf } from '../store/sqlite/sqlite-errors.ts'
import { createWorkFolder, type WorkFolder } from '../store/work-folder.ts'
import { stateFile } from './backup-manifest.ts'
import { requireNewBackupFile, type BackupOptions, type BackupResult } from './backup.ts'

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

/** A backup in progress. `cancel` removes its unfinished files. */
export type RunningBackup = { result: Promise<StorageResult>; cancel(): void }

/** Makes a backup in a new worker. Its unfinished files are in a work folder beside the output file. */
export function startBackup(options: Omit<BackupOptions, 'work'>, startWorker: () => Worker): RunningBackup {
  let work: WorkFolder | null = null
  return { result: run(), cancel: () => work?.remove() }

  async function run(): Promise<StorageResult> {
    try {
      requireNewBackupFile(options.file)
      work = createWorkFolderFor(options)
      return await runStorageJob({ backup: { ...options, work: work.path } }, startWorker)
    } catch (error) {
      return { error: (error as Error).message }
    } finally {
      work?.remove()
    }
  }
}

/** The lock of the folder is the first file of a backup, so a full disk shows there. */
function createWorkFolderFor({ file, data }: Pick<BackupOptions, 'file' | 'data'>): WorkFolder {
  try {
    return createWorkFolder(dirname(file))
  } catch (error) {
    const storageError = storageErrorOf(error)
    throw storageError?.reason === 'full' ? fullDiskError(join(data, stateFile), file, storageError.cause) : error
  }
}
