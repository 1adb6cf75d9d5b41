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
import { exits } from './exits.ts'
import { addressPacks, packAddresses } from './pack-addresses.ts'
import { packBuild } from './pack-build.ts'
import { packFetch } from './pack-fetch.ts'
import { packList } from './pack-list.ts'
import { addressPackNamed, packTarget, servedPacks } from './pack-target.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { packVerify } from './pack-verify.ts'
import { pack as page } from './pages/pack.ts'
import { UsageError } from './usage-error.ts'

/** Carries out `fieldstone pack …` and gives its exit code. */
export async function pack([action, ...words]: string[], flags: PackFlags, { config, options, print, complain }: { config: Config; options: Omit<AppOptions, 'config'>; print(line: string): void; complain(line: string): void }): Promise<number> {
  mustTakeFlags(action, flags)
  const { contents, errors } = applyOverlays(options.contents, createOverlayFolder(join(config.data, 'catalog.d')).readFiles())
  for (const fault of errors) complain(`${join(config.data, 'catalog.d', fault.file)} is left out: ${fault.errors.join('; ')}`)
  const catalog = createCatalog(contents)
  const tools: PackTools = { config, folder: config.packs, catalog, expected: packExpectationsOf(catalog), workers: options.workers, version: options.version, print, complain }
  try {
    mustHaveFolder(flags.out)
    if (action === 'list' && words.length === 0) return packList(tools, flags)
    if (action === 'verify') return await packVerify(words, tools)
    const [dataset, ...inputs] = words
    if (dataset === undefined || !['build', 'fetch', 'remove'].includes(action ?? '') || (action !== 'build' && inputs.length > 0)) throw new UsageError('`fieldstone pack build <dataset> <file …>`, `pack fetch <dataset>`, `pack list`, `pack verify [<file>]` and `pack remove <dataset>` are the commands. `fieldstone help pack` tells more.')
    if (action === 'build' && addressPacks.includes(dataset)) return await packAddresses(dataset, inputs, flags, { tools, embedded: options.embedded })
    if (action === 'build') return await packBuild(dataset, inputs, flags, tools)
    if (action === 'fetch') return await packFetch(dataset, flags, tools)
    return remove(dataset, tools)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    complain(error.message)
    return exits.refused
  }
}

const ofList = ['all', 'json']
const everywhere = ['data', 'env-file']

/** A flag that is not heeded may have been the most important one: --layer of a pack that is removed. */
function mustTakeFlags(action: string | undefined, flags: PackFlags): void {
  const own = action === 'list' ? ofList : action === 'build' || action === 'fetch' ? Object.keys(page.options).filter((flag) => !ofList.includes(flag)) : []
  const strange = Object.keys(flags).find((flag) => !own.includes(flag) && !everywhere.includes(flag))
  if (strange !== undefined && action !== undefined) throw new UsageError(`\`fieldstone pack ${action}\` takes no --${strange}. \`fieldstone help pack\` tells more.`)
}

/** A folder that is made for a slip in its name may lie on the wrong disk. */
function mustHaveFolder(out: PackFlags[string]): void {
  const folder = typeof out === 'string' ? dirname(resolve(out)) : null
  if (folder !== null && !existsSync(folder)) throw new PackError(`There is no folder ${folder}: make it first, or name another file with --out.`)
}

/** A file that serves several datasets goes as a whole, and says so. */
function remove(dataset: string, tools: PackTools): number {
  const { folder, print } = tools
  const addresses = addressPackNamed(dataset, folder)
  if (addresses !== null) {
    rmSync(join(folder, addresses))
    print(`Removed ${join(folder, addresses)}.`)
    return 0
  }
  if (addressPacks.includes(dataset)) throw new PackError(`There is no pack ${dataset}.sqlite in ${folder}; its address packs: ${formatNames(listAddressPackFiles(folder))}.`)
  const { file } = packTarget(dataset, null, tools)
  const there = servedPacks(tools).filter(({ datasets }) => datasets.includes(dataset)).map((it) => it.file)
  if (there.length === 0) throw new PackError(`There is no pack of ${dataset}: ${join(folder, file)} is not there.`)
  for (const it of there) {
    rmSync(join(folder, it))
    rmSync(join(folder, it.replace(/\.\w+$/, '.json')), { force: true })
    const others = tools.expected(it).map((expected) => expected.dataset).filter((other) => other !== dataset)
    print(`Removed ${join(folder, it)}.${others.length > 0 ? ` It served ${others.join(', ')} too.` : ''}`)
  }
  return 0
}
