import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentHarvester, FeatureHarvester, HarvestedLayer, RasterHarvester } from '../../drivers/harvest.ts'
import type { PackSettings } from '../../drivers/pack/pack-expectation.ts'
import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError, type UpstreamCode } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { readDistinctTexts } from '../../files/geopackage/geopackage.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import { FileError } from '../../files/file-error.ts'
import { documentTable } from '../../packs/layer/pack-table.ts'
import type { PackRequirements } from '../../packs/pack.ts'
import { FolderInUseError, lockFolder } from '../../store/sqlite/folder-lock.ts'
import {
  copiedAttributesOf,
  harvestBoxes,
  harvesterOf,
  packSettingsOfDataset,
  type HarvesterDeps,
  type HarvestRequest,
} from '../../pack-plans/harvest-plan.ts'
import { openFolderJournal, removeExpiredCopies, type FolderJournal } from './journal.ts'
import { buildDocuments, buildFeatures, type BuildInWorker, type BuiltLayer } from './part-builder.ts'

/** A dataset that was copied for an area, built as a pack in a work folder. */
export type HarvestedPack = {
  path: string
  sha256: string
  /** Whether the server need not index it. */
  isIndexed: boolean
  /** The layers of a GeoPackage; empty for a raster. */
  layers: BuiltLayer[]
  /** `12 features` or `4,096 cells`. */
  size: string
  margin_m: number
  /** The column that identifies a feature; null if there is none. */
  key: string | null
  /** The edition of the data, or the day on which the publisher last changed it; null if it is not known. */
  vintage: string | null
  /** The years of the bands of a raster with several. */
  editions?: number[]
  startedAt: Date
  host: string
}

/** What copying a dataset needs. `workFolder` holds the journals of unfinished copies. */
export type HarvestDatasetDeps = HarvesterDeps & {
  /** The pack layer of a dataset (its only one if `layer` is null), and what the catalog reads from it. */
  targetOf: (dataset: string, layer: string | null) => { layer: string; expected: PackRequirements }
  workFolder: string
  build: BuildInWorker
  onFeatures: (features: number) => void
}

/** A text that is equal for copies of the same data of the same area. */
export function harvestHashOf({ use, dataset, area }: HarvestRequest): string {
  const attributes = copiedAttributesOf({ dataset, use })
  const { boxes } = harvestBoxes(area, use)
  const editions = use.editions.length > 1 ? [use.editions] : []
  return Bun.hash(JSON.stringify([journalFormat, dataset.serve, attributes, boxes, ...editions])).toString(36)
}

/**
 * Copies a dataset for an area from the service that answers online, builds the pack in a work folder, and has it
 * published. A copy that was interrupted continues: only its last request is sent again.
 * @throws {UpstreamError} if the service fails, or its answers contradict each other.
 * @throws {FileError} if no pack can be built of them.
 */
export async function harvestDataset(
  request: HarvestRequest,
  publish: (pack: HarvestedPack) => Promise<void>,
  deps: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<HarvestedPack> {
  const { use, dataset, area } = request
  const settings = packSettingsOfDataset(dataset)
  const { net, errors } = recordErrors(deps.net)
  const harvester = harvesterOf(request, { ...deps, net })
  if (!settings || !harvester) throw new FileError(`${use.dataset} cannot be copied from its service.`)
  const { boxes, margin_m } = harvestBoxes(area, use)
  removeExpiredCopies(deps.workFolder, journalName, deps.now())
  const folder = join(deps.workFolder, `${use.dataset}-${area.id}-${harvestHashOf(request)}`)
  const unlock = await lockWhenFree(folder, signal)
  const copy = new AbortController()
  const copySignal = AbortSignal.any([signal, copy.signal])
  try {
    const journal = openFolderJournal(join(folder, journalName), { now: deps.now, onPage: deps.onFeatures })
    const common = { margin_m, startedAt: journal.startedAt, host: harvester.host }
    const place = { boxes, folder, journal, settings, dataset: use.dataset }
    const built =
      harvester.shape === 'raster'
        ? await copyRaster(harvester, place, copySignal)
        : harvester.shape === 'document'
          ? await copyDocuments(harvester, place, deps, copySignal)
          : await copyLayers(harvester, place, deps, copySignal)
    const pack: HarvestedPack = { ...built, ...common }
    await publish(pack)
    rmSync(folder, { recursive: true, force: true })
    return pack
  } catch (error) {
    if (!signal.aborted && isContradiction(error, errors)) rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    // The other request that is under way when one fails must not be repeated.
    copy.abort()
    unlock()
  }
}

const journalName = 'journal'
const lockWait_ms = 250
const lockAttempts = 40

/**
 * Locks a folder. A process that is ending, such as the command of a server that was killed, has it for a moment.
 * @throws {FileError} if a process keeps it.
 */
async function lockWhenFree(folder: string, signal: AbortSignal): Promise<() => void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return lockFolder(folder)
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error
      if (attempt === lockAttempts)
        throw new FileError('Another process is copying the same data for the same area. Wait until it ends.', {
          cause: error,
          retryable: true,
        })
      await Bun.sleep(lockWait_ms)
      signal.throwIfAborted()
    }
  }
}

type CopyPlace = {
  boxes: readonly QueryBox[]
  folder: string
  journal: FolderJournal
  settings: PackSettings
  dataset: string
}
type BuiltPack = Omit<HarvestedPack, 'margin_m' | 'startedAt' | 'host'>

async function copyRaster(
  harvester: RasterHarvester,
  { boxes, folder, journal }: CopyPlace,
  signal: AbortSignal,
): Promise<BuiltPack> {
  const path = join(folder, 'raster.tif')
  const { cells, ...edition } = await harvester.copy(boxes, journal, { signal }, path)
  const sha256 = await sha256OfFile(path)
  return { path, sha256, isIndexed: true, layers: [], size: pluralize(cells, 'cell'), key: null, ...edition }
}

async function copyDocuments(
  harvester: DocumentHarvester,
  { folder, journal, dataset }: CopyPlace,
  { build }: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<BuiltPack> {
  const documents = await harvester.copy(journal, { signal })
  const built = await buildDocuments(documents, { dataset, folder, journal, existingPack: null }, build)
  const { path, sha256, isIndexed } = built
  const layers = [{ layer: documentTable, built }]
  return { path, sha256, isIndexed, layers, size: pluralize(documents.length, 'document'), key: null, vintage: null }
}

async function copyLayers(
  harvester: FeatureHarvester,
  { boxes, folder, journal, settings, dataset }: CopyPlace,
  { targetOf, build }: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<BuiltPack> {
  const copied = await harvester.copy(boxes, journal, { signal })
  const groups = groupByPackLayer(copied, settings)
  const layers: BuiltLayer[] = []
  for (const { layer: name, members } of groups) {
    const { layer, expected } = targetOf(dataset, name)
    const place = { dataset, folder, journal, existingPack: layers.at(-1)?.built.path ?? null }
    layers.push({ layer, built: await buildFeatures(members, { layer, expected }, place, build) })
  }
  const features = requireAllFeatures(copied, layers, dataset, harvester.host)
  const keys = new Set(groups.map(({ members }) => (members.length === 1 ? members[0]!.key : null)))
  if (harvester.documents) {
    const { layer, built: last } = layers.at(-1)!
    const values = readDistinctTexts(last.path, layer, harvester.documents.keyAttribute)
    const documents = await harvester.documents.copy(values, journal, { signal })
    const place = { dataset, folder, journal, existingPack: last.path }
    layers.push({ layer: documentTable, built: await buildDocuments(documents, place, build) })
  }
  const { path, sha256, isIndexed } = layers.at(-1)!.built
  return {
    path,
    sha256,
    isIndexed,
    layers,
    size: pluralize(features, 'feature'),
    key: keys.size === 1 ? [...keys][0]! : null,
    vintage: copied.flatMap(({ edited }) => edited ?? []).toSorted()[0] ?? null,
  }
}

/** Changes of the files of a journal make the journals of earlier versions invalid. */
const journalFormat = 2

/** Adds the errors of all requests to a set. */
function recordErrors(net: HttpClient): { net: HttpClient; errors: WeakSet<object> } {
  const errors = new WeakSet<object>()
  const watch = <T>(request: Promise<T>) =>
    request.catch((error: object) => {
      errors.add(error)
      throw error
    })
  const watched: HttpClient = {
    ...net,
    send: (call, budget) => watch(net.send(call, budget)),
    fetchJson: (call, budget) => watch(net.fetchJson(call, budget)),
    fetchText: (call, budget) => watch(net.fetchText(call, budget)),
  }
  return { net: watched, errors }
}

const contradictionCodes = new Set<UpstreamCode>([
  'bad_response',
  'bad_value',
  'schema_changed',
  'too_large',
  'unsupported_request',
])

/** Whether the answers in the journal cannot become a pack. A failed request or a full disk says nothing about them. */
function isContradiction(error: unknown, requestErrors: WeakSet<object>): boolean {
  if (error instanceof UpstreamError) return contradictionCodes.has(error.code) && !requestErrors.has(error)
  return error instanceof FileError && !error.retryable
}

/** The copied layers that become one layer of the pack. `layer`: its name in the catalog, null for the only one. */
type LayerGroup = { layer: string | null; members: HarvestedLayer[] }

function groupByPackLayer(copied: readonly HarvestedLayer[], { layer, layers }: PackSettings): LayerGroup[] {
  const nameOf = ({ level, position, packLayer }: HarvestedLayer): string | null =>
    packLayer !== null ? packLayer : layers ? layers[position]! : (layer?.replaceAll('{level}', String(level)) ?? null)
  return [...Map.groupBy(copied, nameOf)].map(([name, members]) => ({ layer: name, members }))
}

/** The number of features in the pack. @throws {FileError} if it is not the number that the service counts. */
// oxlint-disable-next-line max-params -- What was counted, what was built, and their names.
function requireAllFeatures(
  copied: readonly HarvestedLayer[],
  layers: readonly BuiltLayer[],
  dataset: string,
  host: string,
): number {
  const built = layers.reduce((sum, layer) => sum + layer.built.features, 0)
  const counts = copied.map(({ service_count }) => service_count)
  if (counts.includes(null)) return built
  const counted = counts.reduce<number>((sum, count) => sum + count!, 0)
  if (built === counted) return built
  throw new FileError(
    `${host} counts ${pluralize(counted, 'feature')} of ${dataset} in the area, but the pack has ${built}.`,
  )
}
