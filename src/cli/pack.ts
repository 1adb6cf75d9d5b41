import { existsSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { AppOptions } from '../app.ts'
import { createCatalog } from '../catalog/catalog.ts'
import { applyOverlays } from '../catalog/overlay.ts'
import { createOverlayFolder } from '../catalog/overlay-folder.ts'
import { packExpectationsOf } from '../catalog/pack-expectations.ts'
import type { Config } from '../config.ts'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { formatNames } from '../packs/geopackage-file.ts'
import { PackError } from '../packs/pack-error.ts'
import { exitCodes } from './exit-codes.ts'
import { addressPackKinds, buildAddressPack } from './pack-build-addresses.ts'
import { buildDatasetPack } from './pack-build.ts'
import { fetchDatasetPack } from './pack-fetch.ts'
import { listPacks } from './pack-list.ts'
import { findAddressPackFile, findPackTarget, listServedPacks } from './pack-target.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { verifyPacks } from './pack-verify.ts'
import { packPage as page } from './pages/pack.ts'
import { UsageError } from './usage-error.ts'

/** Carries out `fieldstone pack …` and gives its exit code. */
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
  requireFlagsOfAction(action, flags)
  const { contents, errors } = applyOverlays(
    options.contents,
    createOverlayFolder(join(config.data, 'catalog.d')).readFiles(),
  )
  for (const fault of errors)
    printError(`${join(config.data, 'catalog.d', fault.file)} is left out: ${fault.errors.join('; ')}`)
  const catalog = createCatalog(contents)
  const deps: PackCommandDeps = {
    config,
    folder: config.packs,
    catalog,
    expected: packExpectationsOf(catalog),
    workers: options.workers,
    version: options.version,
    print,
    printError,
  }
  try {
    requireFolder(flags.out)
    if (action === 'list' && args.length === 0) return listPacks(deps, flags)
    if (action === 'verify') return await verifyPacks(args, deps)
    const [dataset, ...inputs] = args
    if (
      dataset === undefined ||
      !['build', 'fetch', 'remove'].includes(action ?? '') ||
      (action !== 'build' && inputs.length > 0)
    )
      throw new UsageError(
        '`fieldstone pack build <dataset> <file …>`, `pack fetch <dataset>`, `pack list`, `pack verify [<file>]` and `pack remove <dataset>` are the commands. `fieldstone help pack` tells more.',
      )
    if (action === 'build' && addressPackKinds.includes(dataset))
      return await buildAddressPack(dataset, inputs, flags, { deps, embedded: options.embedded })
    if (action === 'build') return await buildDatasetPack(dataset, inputs, flags, deps)
    if (action === 'fetch') return await fetchDatasetPack(dataset, flags, deps)
    return removePack(dataset, deps)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    printError(error.message)
    return exitCodes.failure
  }
}

const listFlags = ['all', 'json']
const commonFlags = ['data', 'env-file']

/** A flag that is not heeded may have been the most important one: --layer of a pack that is removed. */
function requireFlagsOfAction(action: string | undefined, flags: PackFlags): void {
  const allowed =
    action === 'list'
      ? listFlags
      : action === 'build' || action === 'fetch'
        ? Object.keys(page.options).filter((flag) => !listFlags.includes(flag))
        : []
  const unknownFlag = Object.keys(flags).find((flag) => !allowed.includes(flag) && !commonFlags.includes(flag))
  if (unknownFlag !== undefined && action !== undefined)
    throw new UsageError(
      `\`fieldstone pack ${action}\` takes no --${unknownFlag}. \`fieldstone help pack\` tells more.`,
    )
}

/** A folder that is made for a slip in its name may lie on the wrong disk. */
function requireFolder(out: PackFlags[string]): void {
  const folder = typeof out === 'string' ? dirname(resolve(out)) : null
  if (folder !== null && !existsSync(folder))
    throw new PackError(`There is no folder ${folder}: make it first, or name another file with --out.`)
}

/** A file that serves several datasets goes as a whole, and says so. */
function removePack(dataset: string, deps: PackCommandDeps): number {
  const { folder, print } = deps
  const addressFile = findAddressPackFile(dataset, folder)
  if (addressFile !== null) {
    rmSync(join(folder, addressFile))
    print(`Removed ${join(folder, addressFile)}.`)
    return 0
  }
  if (addressPackKinds.includes(dataset))
    throw new PackError(
      `There is no pack ${dataset}.sqlite in ${folder}; its address packs: ${formatNames(listAddressPackFiles(folder))}.`,
    )
  const { file } = findPackTarget(dataset, null, deps)
  const packFiles = listServedPacks(deps)
    .filter(({ datasets }) => datasets.includes(dataset))
    .map((packFile) => packFile.file)
  if (packFiles.length === 0) throw new PackError(`There is no pack of ${dataset}: ${join(folder, file)} is not there.`)
  for (const packFile of packFiles) {
    rmSync(join(folder, packFile))
    rmSync(join(folder, packFile.replace(/\.\w+$/, '.json')), { force: true })
    const others = deps
      .expected(packFile)
      .map((expected) => expected.dataset)
      .filter((other) => other !== dataset)
    print(`Removed ${join(folder, packFile)}.${others.length > 0 ? ` It served ${others.join(', ')} too.` : ''}`)
  }
  return 0
}
