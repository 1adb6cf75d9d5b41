import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { geometryOfArea } from '../../pack-plans/area.ts'
import { clipRaster } from '../../build-packs/harvest/clip-raster.ts'
import { harvestDataset, harvestHashOf } from '../../build-packs/harvest/harvest-dataset.ts'
import {
  copiedAttributesOf,
  harvestBoxes,
  type HarvestRequest,
  type PlannedDataset,
} from '../../pack-plans/harvest-plan.ts'
import type { BuiltLayer } from '../../build-packs/harvest/part-builder.ts'
import { fileAddressesOf } from '../../pack-plans/published-files.ts'
import { isRecord } from '../../model/record.ts'
import { pluralize } from '../../model/text.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import { createCopyWait, openHarvestClient, type CopyRules } from './harvest-client.ts'
import { createHarvestProgress } from './harvest-progress.ts'
import { buildInWorker, buildJobOf } from './pack-build.ts'
import { findPackRasters, requireServable } from './pack-build-raster.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import {
  installPack,
  makePackFolder,
  partManifest,
  readExistingManifest,
  type FinishedPack,
  type ObtainedPart,
  type PartContents,
} from './pack-install.ts'
import { harvestFolderOf } from './pack-plan.ts'
import { findPackTarget, findPackTargets } from './pack-target.ts'
import type { Download } from './publisher-files.ts'
import { onInterrupt, withWorkFolder } from '../server/stop-signals.ts'

/** A part to copy, and the numbers of features and requests that are expected, if they are known. */
export type PartRequest = HarvestRequest & {
  out: string
  planned: Pick<PlannedDataset, 'features' | 'requests'>
}

/** What copying the parts of a command needs. */
export type PartCopyDeps = PackCommandDeps & { rules: CopyRules }

/** Copies a dataset for an area and publishes the part, unless `verify` throws. */
export async function copyPart(
  request: PartRequest,
  verify: (pack: FinishedPack) => Promise<void>,
  deps: PartCopyDeps,
): Promise<void> {
  const { use, out, planned } = request
  makePackFolder(deps.folder)
  makePackFolder(dirname(out))
  mkdirSync(harvestFolderOf(deps), { recursive: true, mode: 0o700 })
  const progress = createHarvestProgress(use.dataset, planned, deps)
  const { onReply, onWait, onPause } = progress
  const waitForCopyHours = createCopyWait(deps.rules, onPause)
  const client = openHarvestClient(deps, { onReply, onWait, answers: deps.rules.answers, waitForCopyHours })
  const controller = new AbortController()
  const interruptHandler = onInterrupt(() => controller.abort())
  try {
    const pack = await harvestDataset(
      request,
      async (it) => {
        const obtained = { how: 'service' as const, host: it.host, size: it.size, hash: harvestHashOf(request) }
        const finished = finishPart(it, request, obtained, deps)
        await verify(finished)
        installPack(finished, deps.config)
      },
      {
        net: client.polite,
        now: () => new Date(),
        counties: deps.counties(),
        keys: deps.config.keys,
        overpass: deps.config.overpass,
        targetOf: (id, layer) => findPackTarget(id, layer, deps),
        workFolder: harvestFolderOf(deps),
        build: (job) => buildInWorker(job, deps, `Building ${use.dataset}`),
        onFeatures: progress.onFeatures,
      },
      controller.signal,
    )
    progress.bar.end()
    deps.print(`${out}: ${use.dataset}, ${pack.size} from ${pack.host}, ${pluralize(statSync(out).size, 'byte')}.`)
  } finally {
    progress.bar.end()
    interruptHandler.remove()
    client.close()
  }
}

function finishPart(
  pack: PartContents,
  { use, dataset, area, out }: PartRequest,
  obtained: ObtainedPart,
  { version }: PackCommandDeps,
): FinishedPack {
  const origin = { id: use.dataset, dataset, version, area: area.name, coverage: geometryOfArea(area) }
  const { path, isIndexed, sha256 } = pack
  return { path, out, manifest: partManifest(pack, { ...origin, obtained }), checked: isIndexed ? { sha256 } : null }
}

/** The addresses of the publisher's files that cover a part. */
export function addressesOfPart({ use, dataset, area }: HarvestRequest, deps: PackCommandDeps): string[] {
  return dataset.recipe ? fileAddressesOf(dataset.recipe, harvestBoxes(area, use).boxes, deps.counties()) : []
}

/** A text that is equal for parts of the same files and area. */
function filesHashOf(request: HarvestRequest, deps: PackCommandDeps): string {
  const { boxes } = harvestBoxes(request.area, request.use)
  const { recipe, serve } = request.dataset
  return Bun.hash(JSON.stringify([recipe, serve, addressesOfPart(request, deps), boxes])).toString(36)
}

/**
 * Builds a part of the features or cells in the publisher's files that touch the area, and publishes it, unless `verify`
 * throws.
 * @throws {UpstreamError} if a raster cannot be cut at the area.
 */
export async function buildFilePart(
  request: PartRequest,
  downloads: readonly Download[],
  verify: (pack: FinishedPack) => Promise<void>,
  deps: PartCopyDeps,
): Promise<void> {
  const { use, dataset, area, out } = request
  const { margin_m } = harvestBoxes(area, use)
  const startedAt = new Date(Math.min(...downloads.map(({ path }) => statSync(path).mtimeMs)))
  makePackFolder(deps.folder)
  makePackFolder(dirname(out))
  await withWorkFolder(dirname(out), async (folder) => {
    const source = { request, inputs: downloads.map(({ path }) => path), startedAt, folder }
    const { size, ...contents } =
      dataset.shape === 'raster' ? await clipRasterOf(source, deps) : await clipLayersOf(source, deps)
    const year = downloads.find((it) => it.year !== null)?.year ?? null
    const vintage = year === null ? null : String(year)
    const files = downloads.map(({ url }) => url)
    const obtained = { how: 'file' as const, files, size, hash: filesHashOf(request, deps) }
    const finished = finishPart({ ...contents, vintage, startedAt, margin_m, key: null }, request, obtained, deps)
    await verify(finished)
    installPack(finished, deps.config)
    deps.print(
      `${out}: ${use.dataset}, ${size} from ${pluralize(files.length, 'file')} of the publisher, ${pluralize(statSync(out).size, 'byte')}.`,
    )
  })
}

/** The publisher's files, and the folder in which the part is built of them. */
type PartSource = { request: PartRequest; inputs: string[]; startedAt: Date; folder: string }
/** A part that is built. `size`: how many features or cells it has. */
type BuiltPart = { path: string; sha256: string; isIndexed: boolean; layers: BuiltLayer[]; size: string }

async function clipLayersOf(
  { request, inputs, startedAt, folder }: PartSource,
  deps: PartCopyDeps,
): Promise<BuiltPart> {
  const { use, area, out } = request
  const layers: BuiltLayer[] = []
  for (const target of findPackTargets(use.dataset, null, deps)) {
    const layerFolder = mkdtempSync(join(folder, 'layer-'))
    const existingPack = layers.at(-1)?.built.path ?? null
    const built = buildJobOf(inputs, { target, name: basename(out), folder: layerFolder, existingPack }, {})
    // The day, so that the same files give the same pack.
    const lastChange = `${startedAt.toISOString().slice(0, 10)}T00:00:00.000Z`
    // Numbers of rows differ in the files of two states, and would keep apart what is the same feature.
    const keep = built.recipe.keep ?? copiedAttributesOf(request)
    const recipe = { ...built.recipe, ...(keep && { keep }) }
    const job = { ...built, recipe, clip: harvestBoxes(area, use).boxes, mayBeEmpty: true, lastChange }
    layers.push({ layer: target.layer, built: await buildInWorker(job, deps, `Building ${use.dataset}`) })
  }
  const { path, sha256, isIndexed } = layers.at(-1)!.built
  const features = layers.reduce((sum, { built }) => sum + built.features, 0)
  return { path, sha256, isIndexed, layers, size: pluralize(features, 'feature') }
}

async function clipRasterOf({ request, inputs, folder }: PartSource, deps: PartCopyDeps): Promise<BuiltPart> {
  const { use, dataset, area, out } = request
  const [match] = await findPackRasters(use.dataset, dataset, inputs)
  const { raster } = match!
  const [whole, path] = [join(folder, 'whole.tif'), join(folder, basename(out))]
  await raster.write(whole, folder)
  const clip = { path: whole, name: raster.origin, to: path }
  const cells = await clipRaster(clip, harvestBoxes(area, use).boxes, noDeadline)
  rmSync(whole)
  await requireServable(path, raster.origin, deps)
  return { path, sha256: await sha256OfFile(path), isIndexed: true, layers: [], size: pluralize(cells, 'cell') }
}

/** Whether a part has the same data of the same area, from its files or its service, and has not expired. */
export function isCurrentPart(request: PartRequest, deps: PackCommandDeps): boolean {
  if (!existsSync(request.out)) return false
  const { obtained, fetched_at } = readExistingManifest(request.out)
  const age_s = (Date.now() - Date.parse(String(fetched_at))) / 1000
  const hash = isRecord(obtained) && (obtained.how === 'file' ? filesHashOf(request, deps) : harvestHashOf(request))
  return isRecord(obtained) && obtained.hash === hash && age_s < request.dataset.ttl_seconds
}
