import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App, AppOptions } from '../../app.ts'
import { runStorageJob } from '../../backup/storage-worker.ts'
import { isFirstProcess } from '../../server-process.ts'
import { removeStaleEmbedded } from '../../packs/embedded/embedded-file.ts'
import { ensureReserveFile } from '../../store/reserve-file.ts'
import { corruptStateError } from '../../store/sqlite/state-database.ts'
import type { StoreError } from '../../store/storage-error.ts'
import { removeAbandonedWorkFolders } from '../../store/work-folder.ts'
import { isTooLargeForFullCheck } from '../../store/sqlite/repair/integrity-check.ts'

/**
 * Maintains the data folder after startup: creates the reserve file, removes old embedded files and what killed builds
 * and backups left, and checks a large database completely. Resolves only if the database is damaged.
 */
export async function maintainDataFolder(
  app: App,
  { embedded, workers }: Pick<AppOptions, 'embedded' | 'workers'>,
): Promise<StoreError> {
  const { data } = app.config
  if (!isFirstProcess(app.serverProcess)) return new Promise(() => {})
  if (!app.isReadOnly) {
    if (app.database === null)
      ensureReserveFile(data).catch((error: unknown) => app.log.error('reserve_file', { error }))
    sweepOldFiles(data, embedded, app)
    sweepWorkFolders(app)
  }
  const file = join(data, 'state.db')
  const integrityError =
    app.database === null && existsSync(file) && isTooLargeForFullCheck(file)
      ? await findStateCorruption(data, workers.backup, app)
      : null
  return integrityError === null ? new Promise(() => {}) : corruptStateError(file, integrityError)
}

/** Removes old embedded files. A failure is only logged: it costs disk space, not answers. */
function sweepOldFiles(data: string, embedded: AppOptions['embedded'], { log }: App): void {
  try {
    removeStaleEmbedded(data, embedded)
  } catch (error) {
    log.error('embedded_sweep_failed', { error })
  }
}

/** Removes what killed builds and backups left. */
function sweepWorkFolders({ config: { data, packs, backups }, log }: App): void {
  for (const folder of [data, packs, ...(backups ? [backups.folder] : [])]) {
    try {
      const removed = removeAbandonedWorkFolders(folder)
      if (removed.length > 0) log.info('abandoned_files_removed', { folder, removed: removed.length })
    } catch (error) {
      log.error('work_folder_sweep_failed', { error })
    }
  }
}

async function findStateCorruption(data: string, startWorker: () => Worker, { log }: App): Promise<string | null> {
  const started_ms = performance.now()
  const result = await runStorageJob({ check: data }, startWorker)
  const details = { ms: Math.round(performance.now() - started_ms), ...result }
  if ('integrity_error' in result) {
    log.info('integrity_checked', details)
    return result.integrity_error
  }
  log.error('integrity_check_failed', details)
  return null
}
