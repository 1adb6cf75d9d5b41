import { existsSync, linkSync } from 'node:fs'
import { extname, join } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import type { Dataset } from '../../catalog/records.ts'
import type { Area } from '../../pack-plans/area.ts'
import { datasetUsesOf, type DatasetUse } from '../../pack-plans/dataset-fields.ts'
import { harvestBoxes, harvesterOf } from '../../pack-plans/harvest-plan.ts'
import { HostAnswers } from '../../build-packs/harvest/host-answers.ts'
import { UpstreamError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import { isRecord } from '../../model/record.ts'
import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { createByteCache } from '../../packs/layer/byte-cache.ts'
import { checkPackFile } from '../../packs/check/pack-check.ts'
import { differencesOf, type PackDifferences } from '../../build-packs/pack-differences.ts'
import { FileError } from '../../files/file-error.ts'
import { parseManifest } from '../../packs/pack-manifest.ts'
import { openGeopackagePack } from '../../packs/pack.ts'
import { partFolderOf } from '../../packs/part-files.ts'
import { createWorkFolder } from '../../store/work-folder.ts'
import { addressesOfPart, buildFilePart, copyPart, type PartCopyDeps } from './area-part.ts'
import { exitCodes } from '../exit-codes.ts'
import { createCopyRules, openHarvestClient } from './harvest-client.ts'
import type { PackCommandDeps, PackFlags } from './pack-deps.ts'
import { waitToDownload } from './pack-fetch-area.ts'
import { downloadTimeOf, fetchDatasetPack, lastEditOfDownload } from './pack-fetch.ts'
import { readExistingManifest, type FinishedPack } from './pack-install.ts'
import { requireDownloads } from './pack-plan.ts'
import { listServedPacks, missingPackError } from './pack-target.ts'
import { verifyRaster } from './pack-verify.ts'
import { downloadFiles, lastEditOfFiles } from './publisher-files.ts'
import { UsageError } from '../usage-error.ts'

/** A pack that a command made and can make again. `obtainedAt`: when its data was read from the publisher. */
type Refreshable = { file: string; id: string; dataset: Dataset; obtainedAt: Date } & (
  { how: 'service' | 'part_of_files'; use: DatasetUse; area: Area } | { how: 'file' }
)

/**
 * What the command needs. `dates`: the hosts that did not answer when they were asked for their last edit. `startedAt`:
 * files that several packs need are downloaded once.
 */
type RefreshDeps = PartCopyDeps & { dates: HostAnswers; startedAt: Date }

/**
 * `fieldstone pack refresh`: makes packs again that are older than their data stays valid, or than the last edit of the
 * publisher. A pack that fails stays as it is, and does not stop the others.
 */
export async function refreshPacks(
  datasets: readonly string[],
  flags: PackFlags,
  commandDeps: PackCommandDeps,
): Promise<number> {
  const deps = { ...commandDeps, rules: createCopyRules(flags), dates: new HostAnswers('date'), startedAt: new Date() }
  const packs = selectPacks(datasets, flags, deps)
  requireDownloads(deps)
  let hasFailure = false
  for (const pack of packs) {
    try {
      const reason = await reasonToRefresh(pack, deps)
      if (reason === null) deps.print(`${pack.file}: ${pack.id} is current, from ${dayOf(pack.obtainedAt)}.`)
      else if (flags['dry-run'] === true) deps.print(`${pack.file}: would fetch ${pack.id} again, because ${reason}.`)
      else await refreshPack(pack, reason, deps)
    } catch (error) {
      if (!(error instanceof UpstreamError) && !(error instanceof FileError)) throw error
      hasFailure = true
      deps.printError(`${pack.file}: ${error.message} The pack stays as it is.`)
    }
  }
  return hasFailure ? exitCodes.failure : 0
}

/** The packs of the given datasets, or all. Prints why a pack cannot be made again. */
function selectPacks(datasets: readonly string[], { all }: PackFlags, deps: PackCommandDeps): Refreshable[] {
  if ((datasets.length === 0) === (all !== true))
    throw new UsageError(
      'Name the datasets, or use --all. Usage: `fieldstone pack refresh [<dataset> …] [--all] [--dry-run] [--between <hours>]`.',
    )
  const found = listServedPacks(deps).flatMap(({ file, datasets: ids }) => ids.map((id) => ({ file, id })))
  const missing = datasets.find((name) => !found.some(({ id }) => id === name))
  if (missing !== undefined) throw missingPackError(missing, { folder: deps.folder, names: found.map(({ id }) => id) })
  return found
    .filter(({ id }) => datasets.length === 0 || datasets.includes(id))
    .flatMap(({ file, id }) => {
      const pack = describePack(file, id, deps)
      if (pack === null) deps.print(`${file}: ${id} was built from a file, so it cannot be fetched again.`)
      return pack ?? []
    })
}

/** How a pack was made, by its manifest. Null if no command can make it again. */
function describePack(file: string, id: string, deps: PackCommandDeps): Refreshable | null {
  const dataset = deps.catalog.datasets.get(id)!
  const manifest = readExistingManifest(join(deps.folder, file))
  const common = { file, id, dataset }
  const use = datasetUsesOf([...deps.catalog.fields.values()], deps.catalog).find((it) => it.dataset === id)
  const { obtained, area, coverage, fetched_at } = manifest
  if (isRecord(obtained) && use && typeof area === 'string' && isRecord(coverage)) {
    const { polygons } = parseGeoJsonGeometry(coverage)
    const stem = file.slice(file.indexOf('/') + 1, -extname(file).length)
    const copiedArea = { name: area, id: stem, polygons }
    const how = obtained.how === 'file' ? 'part_of_files' : 'service'
    return { ...common, how, use, area: copiedArea, obtainedAt: new Date(String(fetched_at)) }
  }
  const obtainedAt = partFolderOf(file) === null ? downloadTimeOf(id, dataset, manifest) : null
  return obtainedAt && { ...common, how: 'file', obtainedAt }
}

/** Why a pack is made again; null if it is current. */
async function reasonToRefresh(pack: Refreshable, deps: RefreshDeps): Promise<string | null> {
  const { obtainedAt, dataset } = pack
  const age_s = (Date.now() - obtainedAt.getTime()) / 1000
  if (!(age_s < dataset.ttl_seconds))
    return `it is from ${dayOf(obtainedAt)}, and its data stays valid for ${pluralize(Math.round(dataset.ttl_seconds / 86_400), 'day')}`
  const edit = await lastEditOf(pack, deps)
  return edit !== null && edit > obtainedAt ? `the publisher changed the data on ${dayOf(edit)}` : null
}

/** When the publisher last changed the data; null if it does not say. */
async function lastEditOf(pack: Refreshable, deps: RefreshDeps): Promise<Date | null> {
  if (pack.how === 'file') return lastEditOfDownload(pack.dataset, deps)
  if (pack.how === 'part_of_files') return lastEditOfFiles(pack.dataset, addressesOfPart(pack, deps), deps)
  const client = openHarvestClient(deps, { onReply() {}, answers: deps.dates })
  try {
    const { polite: net } = client
    const harvester = harvesterOf(pack, {
      net,
      now: () => new Date(),
      counties: deps.counties(),
      keys: deps.config.keys,
      overpass: deps.config.overpass,
    })
    const { boxes } = harvestBoxes(pack.area, pack.use)
    return (await harvester?.lastEdit?.(boxes, { signal: noDeadline.signal })) ?? null
  } finally {
    client.close()
  }
}

async function refreshPack(pack: Refreshable, reason: string, deps: RefreshDeps): Promise<void> {
  const out = join(deps.folder, pack.file)
  deps.print(`${pack.file}: fetching ${pack.id} again, because ${reason}.`)
  const earlier = linkEarlierFile(out, deps.folder)
  try {
    if (pack.how === 'file') {
      await waitToDownload(pack.id, deps)
      await fetchDatasetPack(pack.id, {}, deps, deps.startedAt)
      deps.print(`${pack.file}: ${describeChange(earlier.path, out, null)}`)
      return
    }
    const verify = (built: FinishedPack) => verifyRefreshedPack(built, earlier.path, pack, deps)
    const request = { ...pack, out, planned: { features: null, requests: null } }
    if (pack.how === 'service') await copyPart(request, verify, deps)
    else {
      await waitToDownload(pack.id, deps)
      const files = { ...pack, addresses: addressesOfPart(pack, deps), usableAfter: deps.startedAt }
      await buildFilePart(request, await downloadFiles(files, deps), verify, deps)
    }
    const { key } = readExistingManifest(out)
    deps.print(`${pack.file}: ${describeChange(earlier.path, out, typeof key === 'string' ? key : null)}`)
  } finally {
    earlier.remove()
  }
}

/** Keeps the earlier file of a pack under another name until it is compared with the new one. */
function linkEarlierFile(out: string, packs: string): { path: string; remove(): void } {
  const work = createWorkFolder(packs)
  const path = join(work.path, `earlier${extname(out)}`)
  linkSync(out, path)
  return { path, remove: work.remove }
}

/**
 * Checks a new pack as `pack verify` does, before it replaces the earlier one.
 * @throws {FileError} if it is not intact, or if it has nothing of what the earlier one has.
 */
async function verifyRefreshedPack(
  { path, manifest: text, checked }: FinishedPack,
  earlierPath: string,
  { file, id }: Refreshable,
  deps: PackCommandDeps,
): Promise<void> {
  await checkPackFile(path, checked?.sha256 ?? null)
  const manifest = parseManifest(text, file)
  if (file.endsWith('.tif')) {
    await verifyRaster(path, deps)
    return
  }
  openGeopackagePack(path, { manifest, name: id }, deps.expected(file), createByteCache(0)).close()
  const { total, removed } = differencesOf(earlierPath, path, manifest.key)
  if (total === 0 && removed > 0)
    throw new FileError(
      `The service has no feature in the area any more, and the pack has ${removed}. If that is right, run \`fieldstone pack remove ${file.slice(0, -extname(file).length)}\` and fetch it again.`,
    )
}

function describeChange(earlier: string, out: string, key: string | null): string {
  if (!existsSync(out)) throw new FileError('The new pack has another name. Remove the earlier one.')
  if (out.endsWith('.tif')) return 'its cells were copied again.'
  return textOf(differencesOf(earlier, out, key))
}

function textOf({ added, removed, changed, total }: PackDifferences): string {
  if (added + removed + (changed ?? 0) === 0) return `no change in ${pluralize(total, 'feature')}.`
  const parts = [`${added} added`, `${removed} removed`, ...(changed === null ? [] : [`${changed} changed`])]
  return `${parts.join(', ')}; ${pluralize(total, 'feature')} now.`
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
