import { openApp, type App, type AppOptions } from '../app.ts'
import { FolderInUseError } from '../store/sqlite/folder-lock.ts'

/** Opens the app for a command that can also use a server. @throws {FolderInUseError} that names this possibility. */
export function openCommandApp(options: AppOptions): App {
  try {
    return openApp({ ...options, copySchedule: 'once' })
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error
    throw new FolderInUseError(`${error.message} If it is a server, you can send the request to it with --server.`, {
      cause: error,
    })
  }
}

/**
 * Waits until all packs are checked. A command answers once and ends, so it cannot ask for a retry while a pack is
 * being checked, as the service does.
 */
export async function waitForPacks({ packs, addressPacks }: Pick<App, 'packs' | 'addressPacks'>): Promise<void> {
  // Packs in storage, also those of addresses, are copied before this ends.
  await packs.waitUntilChecked()
  await addressPacks.waitForChecks(Infinity)
}
