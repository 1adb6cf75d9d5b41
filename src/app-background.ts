import type { AppCore } from './app-sources.ts'
import type { AppState } from './app-state.ts'
import { backupOptionsOf } from './backup/backup.ts'
import { createScheduledBackups, type ScheduledBackups } from './backup/scheduled-backups.ts'
import { commandSettingsOf } from './config.ts'
import type { MaybePromise } from './async/maybe-promise.ts'
import type { PackFetchRequest } from './catalog/pack-fetch-document.ts'
import { isFirstProcess, type ServerProcess } from './server-process.ts'
import { PackFetches, planPackFetch, type StartCommand } from './pack-plans/pack-fetches.ts'
import { ensureReserveFile } from './store/reserve-file.ts'
import { isWritable } from './store/sqlite/read-only.ts'

/** What runs beside requests. */
export type BackgroundWork = {
  /** The scheduled backups; null when they are disabled. */
  backups: ScheduledBackups | null
  /** Fetches packs in the background; null without a network, or if the data folder is read-only. */
  packFetches: PackFetchService | null
}

type Options = {
  contents: { version: string }
  /** Starts the worker of backups. */
  startWorker: () => Worker
  /** Starts a command of this executable. Without it, no packs are fetched. */
  startCommand?: StartCommand | undefined
}

/** Opens the work that is done beside requests: scheduled backups, fetches of packs, and the reserve file. */
export function openBackgroundWork(
  core: AppCore,
  { store, database }: AppState,
  { contents, startWorker, startCommand }: Options,
): BackgroundWork {
  const { config, now, log, scheduler, serverProcess, adopt } = core
  const isFirst = isFirstProcess(serverProcess)
  if (!store.isReadOnly && database === null && isFirst)
    scheduler.runHourly('reserve_file', () => ensureReserveFile(config.data))
  // Packs in storage are published, not fetched by a server.
  const canFetch = startCommand && !config.offline && isWritable(config.data) && config.pack_storage === null
  return {
    backups: isFirst ? scheduleBackups(core, contents.version, startWorker) : null,
    packFetches: canFetch ? openPackFetches(startCommand) : null,
  }

  function openPackFetches(start: StartCommand): PackFetchService {
    const commands = { settings: commandSettingsOf(config), startCommand: start }
    if (!isFirst)
      return createPackFetchProxy(serverProcess!, (request, signal) => planPackFetch(request, commands, signal))
    const fetches = adopt(new PackFetches({ folder: config.data, ...commands, now, log }))
    serverProcess?.handle('pack_fetch', (argument) => executePackFetch(fetches, argument as PackFetchCall))
    return fetches
  }
}

/** The fetches of packs, in this process or in the first one. */
type PackFetchService = { [Name in 'current' | 'start' | 'cancel']: MaybeAsync<PackFetches[Name]> } & Pick<
  PackFetches,
  'plan' | 'resume'
>
type MaybeAsync<Method extends (...args: never[]) => unknown> = (
  ...args: Parameters<Method>
) => MaybePromise<ReturnType<Method>>
type PackFetchCall =
  { method: 'current' | 'cancel' } | { method: 'start'; request: PackFetchRequest; areaName: string | undefined }

function executePackFetch(fetches: PackFetches, call: PackFetchCall): unknown {
  return 'request' in call ? fetches[call.method](call.request, call.areaName) : fetches[call.method]()
}

/** Creates a proxy that calls the methods of the first process. Every process can plan. */
function createPackFetchProxy({ callFirst }: ServerProcess, plan: PackFetchService['plan']): PackFetchService {
  const call = <T>(argument: PackFetchCall) => callFirst({ name: 'pack_fetch', argument }) as Promise<T>
  return {
    current: () => call({ method: 'current' }),
    cancel: () => call({ method: 'cancel' }),
    plan,
    start: (request, areaName) => call({ method: 'start', request, areaName }),
    resume: () => {},
  }
}

/** Returns null when scheduled backups are disabled. */
function scheduleBackups(
  { config, version, now, log, scheduler }: AppCore,
  catalog_version: string,
  startWorker: () => Worker,
): ScheduledBackups | null {
  if (!config.backups) return null
  const { folder, keep, cron } = config.backups
  const backups = createScheduledBackups({
    folder,
    keep,
    backupOptions: { ...backupOptionsOf(config), version, catalog_version },
    startWorker,
    now,
    log,
  })
  scheduler.runOnSchedule('backup', cron, backups.create)
  return backups
}
