import type { AppCore } from './app-sources.ts'
import type { AppState } from './app-state.ts'
import { backupOptionsOf } from './backup/backup.ts'
import { createScheduledBackups, type ScheduledBackups } from './backup/scheduled-backups.ts'
import { commandSettingsOf } from './config.ts'
import { PackFetches, type StartCommand } from './harvest/pack-fetches.ts'
import { ensureReserveFile } from './store/reserve-file.ts'
import { isWritable } from './store/sqlite/read-only.ts'

/** What runs beside requests. */
export type BackgroundWork = {
  /** The scheduled backups; null when they are disabled. */
  backups: ScheduledBackups | null
  /** Fetches packs in the background; null without a network, or if the data folder is read-only. */
  packFetches: PackFetches | null
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
  const { config, now, log, scheduler, adopt } = core
  if (!store.isReadOnly && database === null) scheduler.runHourly('reserve_file', () => ensureReserveFile(config.data))
  // Packs in storage are published, not fetched by a server.
  const canFetch = startCommand && !config.offline && isWritable(config.data) && config.pack_storage === null
  return {
    backups: scheduleBackups(core, contents.version, startWorker),
    packFetches: canFetch
      ? adopt(new PackFetches({ folder: config.data, settings: commandSettingsOf(config), startCommand, now, log }))
      : null,
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
