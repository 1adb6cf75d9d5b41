import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App, AppOptions } from '../app.ts'
import { ordered } from '../backup/storage-worker.ts'
import { removeStaleEmbedded } from '../packs/embedded-file.ts'
import { layBallast } from '../store/ballast.ts'
import { damaged } from '../store/database.ts'
import type { StoreError } from '../store/store-error.ts'
import { isLarge } from '../store/whole.ts'

/** What a service does for its data folder once it answers: old files go, the ballast is laid, and a large database is looked through whole. Resolves when that finds it damaged, else never. */
export async function upkeep(app: App, { embedded, workers }: Pick<AppOptions, 'embedded' | 'workers'>): Promise<StoreError> {
  const { data } = app.config
  if (!app.isReadOnly) {
    layBallast(data).catch((error: unknown) => app.log.error('ballast', { error }))
    swept(data, embedded, app)
  }
  const file = join(data, 'state.db')
  const fault = existsSync(file) && isLarge(file) ? await faultOf(data, workers.backup, app) : null
  return fault === null ? new Promise(() => {}) : damaged(file, fault)
}

/** An old file that cannot be removed takes room, and costs nobody an answer. */
function swept(data: string, embedded: AppOptions['embedded'], { log }: App): void {
  try {
    removeStaleEmbedded(data, embedded)
  } catch (error) {
    log.error('embedded_sweep_failed', { error })
  }
}

async function faultOf(data: string, startWorker: () => Worker, { log }: App): Promise<string | null> {
  const began = performance.now()
  const answer = await ordered({ check: data }, startWorker)
  const about = { ms: Math.round(performance.now() - began), ...answer }
  if ('fault' in answer) {
    log.info('integrity_checked', about)
    return answer.fault
  }
  log.error('integrity_check_failed', about)
  return null
}
