import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../app.ts'
import { openCatalog } from '../catalog/catalog.ts'
import { overlaid } from '../catalog/overlay.ts'
import { openOverlays } from '../catalog/overlays.ts'
import { packsExpected } from '../catalog/packs-expected.ts'
import type { Config } from '../config.ts'
import { addressPackNames } from '../packs/addresses.ts'
import { listed } from '../packs/geopackage-file.ts'
import { PackRefused } from '../packs/pack-refused.ts'
import { exits } from './exits.ts'
import { addressPacks, packAddresses } from './pack-addresses.ts'
import { packBuild } from './pack-build.ts'
import { packFetch } from './pack-fetch.ts'
import { packList } from './pack-list.ts'
import { addressPackNamed, packTarget, servedPacks } from './pack-target.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { packVerify } from './pack-verify.ts'
import { UsageError } from './usage-error.ts'

/** Carries out `fieldstone pack …` and gives its exit code. */
export async function pack([action, ...words]: string[], flags: PackFlags, { config, options, print, complain }: { config: Config; options: Omit<Options, 'config'>; print(line: string): void; complain(line: string): void }): Promise<number> {
  const { contents, faults } = overlaid(options.contents, openOverlays(join(config.data, 'catalog.d')).files())
  for (const fault of faults) complain(`${join(config.data, 'catalog.d', fault.file)} is left out: ${fault.faults.join('; ')}`)
  const catalog = openCatalog(contents)
  const tools: PackTools = { config, folder: config.packs, catalog, expected: packsExpected(catalog), workers: options.workers, version: options.version, print, complain }
  try {
    if (action === 'list') return packList(tools, flags)
    if (action === 'verify') return await packVerify(words, tools)
    const [dataset, ...inputs] = words
    if (dataset === undefined || !['build', 'fetch', 'remove'].includes(action ?? '')) throw new UsageError('`fieldstone pack build <dataset> <file …>`, `pack fetch <dataset>`, `pack list`, `pack verify [<file>]` and `pack remove <dataset>` are the commands. `fieldstone help pack` tells more.')
    if (action === 'build' && addressPacks.includes(dataset)) return await packAddresses(dataset, inputs, flags, { tools, embedded: options.embedded })
    if (action === 'build') return await packBuild(dataset, inputs, flags, tools)
    if (action === 'fetch') return await packFetch(dataset, flags, tools)
    return remove(dataset, tools)
  } catch (error) {
    if (!(error instanceof PackRefused)) throw error
    complain(error.message)
    return exits.refused
  }
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
  if (addressPacks.includes(dataset)) throw new PackRefused(`There is no pack ${dataset}.sqlite in ${folder}; its address packs: ${listed(addressPackNames(folder))}.`)
  const { file } = packTarget(dataset, null, tools)
  const files = file.includes('{level}') ? servedPacks(tools).filter(({ datasets }) => datasets.includes(dataset)).map((it) => it.file) : [file]
  const there = files.filter((it) => existsSync(join(folder, it)))
  if (there.length === 0) throw new PackRefused(`There is no pack of ${dataset}: ${join(folder, file)} is not there.`)
  for (const it of there) {
    rmSync(join(folder, it))
    rmSync(join(folder, it.replace(/\.\w+$/, '.json')), { force: true })
    const others = tools.expected(it).map((expected) => expected.dataset).filter((other) => other !== dataset)
    print(`Removed ${join(folder, it)}.${others.length > 0 ? ` It served ${others.join(', ')} too.` : ''}`)
  }
  return 0
}
