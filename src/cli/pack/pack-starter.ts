import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openRegionArchive } from '../../build-packs/region-import.ts'
import { isOwnKey } from '../../build-packs/signing-keys.ts'
import { datasetUsesOf } from '../../pack-plans/dataset-fields.ts'
import { FileError } from '../../files/file-error.ts'
import { readManifest } from '../../packs/pack-manifest.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { areaOfFlags, fieldsOfFlags } from './pack-area.ts'
import type { PackCommandDeps, PackFlags } from './pack-deps.ts'
import { fetchPacksOfArea } from './pack-fetch-area.ts'
import { exportPacks } from './pack-region.ts'
import { listServedPacks } from './pack-target.ts'
import { verifyPacks } from './pack-verify.ts'

const selectingFlags = ['preset', 'fields', 'dataset']

/**
 * `fieldstone pack starter`: gets the data of a county or state, verifies it, and writes it to one signed file. Run
 * again, it continues. A dataset that fails is left out, and the command then ends with exit code 1.
 */
export async function makeStarter(
  words: readonly string[],
  { out, ...flags }: PackFlags,
  deps: PackCommandDeps,
): Promise<number> {
  if (words.length === 0)
    throw new UsageError(
      'No area given. Name a county or a state, such as `fieldstone pack starter "Boulder County, CO"`.',
    )
  const isSelected = selectingFlags.some((name) => flags[name] !== undefined)
  const selection: PackFlags = { ...flags, area: words.join(' '), ...(!isSelected && { all: true }) }
  const area = await areaOfFlags({ area: selection.area }, deps)
  const fetched = await fetchPacksOfArea([], selection, deps)
  if (fetched !== exitCodes.ok && fetched !== exitCodes.failure) return fetched
  const uses = datasetUsesOf(fieldsOfFlags([], selection, deps), deps.catalog)
  const files = packFilesOf(area.name, new Set(uses.map(({ dataset }) => dataset)), deps)
  if (files.length === 0) {
    deps.printError(`There is no pack for ${area.name}, so no file was written.`)
    return exitCodes.failure
  }
  const verified = await verifyPacks(
    files.map((file) => join(deps.folder, file)),
    deps,
  )
  if (verified !== exitCodes.ok) return verified
  const archive = typeof out === 'string' ? out : `starter-${area.id}.tar`
  const key = replaceArchive(files, archive, deps)
  deps.print(
    `On the other machine, run \`fieldstone pack key add ${key}\` once, and then \`fieldstone pack import ${archive}\`.`,
  )
  return fetched
}

/** Writes the archive, also in place of an earlier one of this data folder, but of no other file. */
function replaceArchive(files: string[], archive: string, deps: PackCommandDeps): string {
  const path = resolve(archive)
  if (!existsSync(path)) return exportPacks(files, path, deps)
  const earlier = openRegionArchive(path)
  earlier.close()
  if (!isOwnKey(deps.config.data, earlier.manifest.public_key))
    throw new FileError(`${path} exists and was made on another machine. Rename it, or choose another file with --out.`)
  renameSync(path, `${path}.earlier`)
  const key = exportPacks(files, path, deps)
  rmSync(`${path}.earlier`)
  return key
}

/** The packs of the datasets that were made for the area, and those that are not of any area. */
function packFilesOf(area: string, datasets: ReadonlySet<string>, deps: PackCommandDeps): string[] {
  const ofArea = (file: string) => {
    const own = readManifest(deps.folder, file).area
    return own === area || own === null
  }
  return listServedPacks(deps)
    .filter((pack) => pack.datasets.some((id) => datasets.has(id)) && existsSync(join(deps.folder, pack.file)))
    .map(({ file }) => file)
    .filter(ofArea)
}
