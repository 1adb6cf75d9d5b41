import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type App, type AppOptions } from '../../app.ts'

/** Uses an app with a temporary data folder, so that no answer comes from the cache, and with the network. */
export async function withTemporaryApp<T>(options: AppOptions, use: (app: App) => Promise<T>): Promise<T> {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-doctor-'))
  const app = openApp({ ...options, config: { ...options.config, data, offline: false } })
  try {
    return await use(app)
  } finally {
    await app.close()
    rmSync(data, { recursive: true, force: true })
  }
}
