import { commitInstall, finishInstalls } from './backup/region-install.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import type { HttpClientOptions } from './net/http-client.ts'
import type { CheckPack } from './packs/check/pack-checker.ts'
import { type PackFolderOptions, PackFolder } from './packs/pack-folder.ts'
import type { Rasters } from './raster/rasters.ts'
import type { Scheduler } from './scheduler.ts'
import { copiesFolderOf, type CopySchedule, PackCopies } from './storage/pack-copies.ts'
import { openFileStorage, openStorageClient } from './storage/open-storage.ts'
import { hostOfLocation, nameOfLocation, type StorageLocation } from './storage/storage-location.ts'
import { createStorageRasters } from './storage/storage-rasters.ts'

/** The packs of the app. */
export type AppPacks = {
  packs: PackFolder
  /** Where packs are kept; null: in the packs folder. */
  packStorage: PackStorageStatus | null
}

/** The storage of the packs. */
type PackStorageStatus = {
  location: string
  /** Why the local copies may be out of date; null if they are not. */
  problem(): string | null
}

type AppPacksOptions = Pick<PackFolderOptions, 'requirementsOf'> &
  Pick<HttpClientOptions, 'traceUpstreamCall'> & {
    config: Config
    version: string
    now: () => Date
    log: Log
    scheduler: Scheduler
    rasters: Rasters
    copySchedule: CopySchedule
    check: CheckPack
    adopt: <T extends { close(): void }>(part: T) => T
  }

/** The folder that the server reads packs from: the packs folder, or the local copies of those in storage. */
export function servedPackFolderOf({ data, packs, pack_storage }: Config): string {
  if (pack_storage === null) return packs
  return copiesFolderOf(data, `${hostOfLocation(pack_storage)} ${nameOfLocation(pack_storage)}`)
}

/** Opens the packs: those of the packs folder, or those in storage. */
export function openAppPacks(options: AppPacksOptions): AppPacks {
  const { config, now, log, scheduler, rasters, check, requirementsOf, adopt } = options
  const folder = servedPackFolderOf(config)
  const folders = { packs: folder, data: config.data }
  finishInterruptedInstalls(folders, log)
  scheduler.runOnSchedule('pack_installs', '* * * * *', () => finishInterruptedInstalls(folders, log))
  const stored = config.pack_storage && openStoredPacks(config.pack_storage, options)
  const packs = new PackFolder(folder, { requirementsOf, rasters, check, log, now, ...stored?.folderOptions })
  return { packs: adopt(packs), packStorage: stored?.status ?? null }
}

/** Opens the copies of the packs in storage, and the client that reads it. Offline, the copies are used as they are. */
function openStoredPacks(
  location: StorageLocation,
  options: AppPacksOptions,
): { status: PackStorageStatus; folderOptions: Pick<PackFolderOptions, 'prepare' | 'storedRasters'> } {
  const { config, now, log, rasters, copySchedule, check, adopt } = options
  const net = adopt(openStorageClient(location, options))
  const storage = openFileStorage(location, net)
  const copies = adopt(
    new PackCopies({
      folder: servedPackFolderOf(config),
      storage,
      net: config.offline ? null : net,
      schedule: copySchedule,
      check,
      install: (staged, folder) => commitInstall(staged, { packs: folder, data: config.data }),
      log,
    }),
  )
  const storedRasters = createStorageRasters({ reader: { net, storage }, rasters, onChange: copies.syncSoon, now })
  return {
    status: { location: storage.location, problem: copies.problem },
    folderOptions: { prepare: copies.sync, ...(!config.offline && { storedRasters }) },
  }
}

/** Finishes interrupted installs of packs. The service starts even if it cannot write to the folders. */
function finishInterruptedInstalls(folders: { packs: string; data: string }, log: Log): void {
  try {
    const finished = finishInstalls(folders)
    if (finished > 0) log.info('pack_install_finished', { installs: finished })
  } catch (error) {
    log.error('pack_install_unfinished', { error })
  }
}
