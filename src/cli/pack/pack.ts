import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { BackupError } from '../../backup/backup-error.ts'
import { finishInstalls } from '../../backup/region-install.ts'
import type { PackFetchEvent } from '../../pack-plans/pack-fetches.ts'
import type { Config } from '../../config.ts'
import { listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { formatNames } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'
import { manifestName } from '../../packs/pack-manifest.ts'
import { partFolderOf } from '../../packs/part-files.ts'
import { removeAbandonedWorkFolders } from '../../store/work-folder.ts'
import { basemapFile, basemapId } from '../../tiles/basemap.ts'
import { requireOutFolder } from '../command-args.ts'
import { exitCodes } from '../exit-codes.ts'
import { areaFlags } from './pack-area.ts'
import { basemapFlags, fetchBasemap, planBasemap } from './pack-basemap.ts'
import { addressPackKinds, buildAddressPack } from './pack-build-addresses.ts'
import { buildDatasetPack } from './pack-build.ts'
import { fetchPacksOfArea } from './pack-fetch-area.ts'
import { fetchDatasetPack } from './pack-fetch.ts'
import { listPacks } from './pack-list.ts'
import { planPacks } from './pack-plan.ts'
import { refreshPacks } from './pack-refresh.ts'
import { makeStarter } from './pack-starter.ts'
import { exportRegionCommand, importRegionCommand, keyCommand } from './pack-region.ts'
import { publishPacks } from './pack-publish.ts'
import { findAddressPackFile, findPackTarget, listServedPacks, missingPackError } from './pack-target.ts'
import { openPackDeps, type PackFlags, type PackCommandDeps } from './pack-deps.ts'
import { verifyPacks } from './pack-verify.ts'
import { packPage as page } from '../pages/pack.ts'
import { UsageError } from '../usage-error.ts'

/** `fieldstone pack`: runs one of its actions and returns the exit code. */
export async function packCommand(
  [action, ...args]: string[],
  flags: PackFlags,
  {
    config,
    options,
    print,
    printError,
  }: { config: Config; options: Omit<AppOptions, 'config'>; print(line: string): void; printError(line: string): void },
): Promise<number> {
  requireFlagsOfAction(action, flags, args)
  cleanUpAfterKilled(action, config)
  const { deps, invalidLayers } = openPackDeps(config, options, { print, printError })
  for (const text of invalidLayers)
    printError(`${text} See /guide/your-own-layers#mistakes-in-a-file on a running server.`)
  try {
    requireOutFolder(flags)
    if (action === 'list' && args.length === 0) return await listPacks(deps, flags)
    if (action === 'refresh') return await refreshPacks(args, flags, deps)
    if (action === 'verify') return await verifyPacks(args, deps)
    if (action === 'publish') return await publishPacks(args, deps)
    if (isBasemap(action, args)) return await (action === 'plan' ? planBasemap : fetchBasemap)(flags, deps)
    if (action === 'plan') return await planPacks(args, flags, deps)
    if (action === 'fetch' && selectsArea(args, flags))
      return await fetchPacksOfArea(args, flags, flags.json === true ? withEvents(deps) : deps)
    if (action === 'starter') return await makeStarter(args, flags, deps)
    if (action === 'export') return exportRegionCommand(args, flags, deps)
    if (action === 'import') return await importRegionCommand(args, flags, options.contents, deps)
    if (action === 'key') return keyCommand(args, deps)
    const [dataset, ...inputs] = args
    if (
      dataset === undefined ||
      !['build', 'fetch', 'remove'].includes(action ?? '') ||
      (action !== 'build' && inputs.length > 0)
    )
      throw usageErrorOf(action)
    if (action === 'build' && addressPackKinds.includes(dataset))
      return await buildAddressPack(dataset, inputs, flags, { deps, embedded: options.embedded })
    if (action === 'build') return await buildDatasetPack(dataset, inputs, flags, deps)
    if (action === 'fetch') return await fetchDatasetPack(dataset, flags, deps)
    return removePack(dataset, deps)
  } catch (error) {
    if (!(error instanceof FileError || error instanceof BackupError)) throw error
    if (action !== 'fetch' || flags.json !== true) throw error
    withEvents(deps).printError(error.message)
    return exitCodes.failure
  }
}

/** Prints each event as a line of JSON, and nothing else. */
function withEvents(deps: PackCommandDeps): PackCommandDeps {
  const report = (event: PackFetchEvent) => deps.print(JSON.stringify(event))
  return { ...deps, report, print: () => {}, printError: (message) => report({ event: 'error', message }) }
}

/** Finishes what killed commands have begun to install. An action that makes packs also removes their work folders. */
function cleanUpAfterKilled(action: string | undefined, config: Config): void {
  finishInstalls(config)
  if (writingActions.includes(action ?? ''))
    for (const folder of [config.packs, config.data]) removeAbandonedWorkFolders(folder)
}

const writingActions = ['build', 'fetch', 'starter', 'refresh', 'import']

const listFlags = ['all', 'json']
const selectionFlags = ['preset', 'fields', 'dataset', 'all', 'services', ...areaFlags]
const importFlags = ['dry-run', 'replace-layers']
const fetchFlags = [...selectionFlags, 'yes', 'verify', 'between']
const commonFlags = ['data', 'env-file']

/** Whether `pack fetch` makes packs of an area, and not the pack of one dataset from the publisher's file. */
function selectsArea(datasets: readonly string[], flags: PackFlags): boolean {
  return datasets.length !== 1 || fetchFlags.some((name) => flags[name] !== undefined)
}

/** Whether the command is about the base map, which is not a dataset. */
function isBasemap(action: string | undefined, args: readonly string[]): boolean {
  return (action === 'plan' || action === 'fetch') && args.length === 1 && args[0] === basemapId
}

/** Rejects flags that the action would ignore, such as --layer with remove. */
function requireFlagsOfAction(action: string | undefined, flags: PackFlags, args: readonly string[]): void {
  const allowed = allowedFlagsOf(action, flags, args)
  const unknownFlag = Object.keys(flags).find((flag) => !allowed.includes(flag) && !commonFlags.includes(flag))
  if (unknownFlag !== undefined && action !== undefined)
    throw new UsageError(`\`fieldstone pack ${action}\` does not take --${unknownFlag}. See \`fieldstone help pack\`.`)
}

function allowedFlagsOf(action: string | undefined, flags: PackFlags, args: readonly string[]): readonly string[] {
  if (isBasemap(action, args)) return [...basemapFlags, action === 'plan' ? 'json' : 'yes']
  if (action === 'list') return listFlags
  if (action === 'refresh') return ['all', 'dry-run', 'between']
  if (action === 'export') return ['area']
  if (action === 'import') return importFlags
  if (action === 'plan') return [...selectionFlags, 'json']
  if (action === 'starter') return ['preset', 'fields', 'dataset', 'services', 'yes', 'verify', 'between', 'out']
  if (action === 'fetch' && selectsArea(args, flags)) return [...fetchFlags, 'json']
  if (action !== 'build' && action !== 'fetch') return []
  const others: readonly string[] = [...listFlags, ...fetchFlags, ...importFlags, ...basemapFlags]
  return Object.keys(page.options).filter((flag) => !others.includes(flag))
}

/** The error of a command without an action, or of an action with the wrong number of arguments. */
function usageErrorOf(action: string | undefined): UsageError {
  const lines = page.usage.filter((line) => line.startsWith(`pack ${action} `))
  return new UsageError(
    lines.length === 0
      ? `No known action given. The actions are ${page.actions!.join(', ')}. See \`fieldstone help pack\`.`
      : `Usage: ${lines.map((line) => `\`fieldstone ${line}\``).join(' or ')}. See \`fieldstone help pack\`.`,
  )
}

/** `fieldstone pack remove`: removes the pack files of a dataset, and lists other datasets that they served. */
function removePack(dataset: string, deps: PackCommandDeps): number {
  const { folder, print } = deps
  const addressFile = findAddressPackFile(dataset, folder)
  if (addressFile !== null) {
    rmSync(join(folder, addressFile))
    print(`Removed ${join(folder, addressFile)}.`)
    return 0
  }
  if (dataset === basemapId && existsSync(join(folder, basemapFile))) {
    rmSync(join(folder, basemapFile))
    print(`Removed ${join(folder, basemapFile)}.`)
    return 0
  }
  if (addressPackKinds.includes(dataset))
    throw new FileError(
      `There is no pack ${dataset}.sqlite in ${folder}. The address packs there are ${formatNames(listAddressPackFiles(folder))}.`,
    )
  const installed = listServedPacks(deps)
  const part = installed.find(({ file }) => partFolderOf(file) !== null && [file, stemOf(file)].includes(dataset))
  const packFiles = part ? [part] : installed.filter(({ datasets }) => datasets.includes(dataset))
  if (packFiles.length === 0) {
    const [id] = dataset.split('/') as [string]
    findPackTarget(id, null, deps)
    throw missingPackError(dataset, { folder, names: installed.flatMap(namesOfPack) })
  }
  for (const { file, datasets } of packFiles) {
    removePackFile(file, folder)
    const others = part ? [] : datasets.filter((other) => other !== dataset)
    print(`Removed ${join(folder, file)}.${others.length > 0 ? ` It also served ${others.join(', ')}.` : ''}`)
  }
  return 0
}

/** Removes a pack file with its manifest, and the folder of a part when it is empty. */
function removePackFile(file: string, folder: string): void {
  rmSync(join(folder, file))
  rmSync(join(folder, manifestName(file)), { force: true })
  const partFolder = partFolderOf(file)
  if (partFolder !== null && readdirSync(join(folder, partFolder)).length === 0) rmdirSync(join(folder, partFolder))
}

/** The names that `pack remove` takes for a pack. */
function namesOfPack({ file, datasets }: { file: string; datasets: string[] }): string[] {
  return partFolderOf(file) === null ? datasets : [stemOf(file), ...datasets]
}

function stemOf(file: string): string {
  return file.slice(0, -extname(file).length)
}
