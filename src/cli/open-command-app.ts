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
