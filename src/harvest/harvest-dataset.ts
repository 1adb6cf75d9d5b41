import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  DocumentHarvester,
  FeatureHarvester,
  HarvestedLayer,
  KeyedDocument,
  RasterHarvester,
} from '../drivers/harvest.ts'
import type { PackSettings } from '../drivers/pack-expectation.ts'
import type { QueryBox } from '../geo/boxes.ts'
import { UpstreamError } from '../model/error.ts'
import { pluralize } from '../model/pluralize.ts'
import type { BuildJob, PackBuildResult } from '../packs/import/build-pack.ts'
import { sha256OfFile } from '../packs/import/byte-reader.ts'
import { PackError } from '../packs/pack-error.ts'
import { documentColumns } from '../packs/pack-table.ts'
import type { PackRequirements } from '../packs/pack.ts'
import { lockFolder } from '../store/sqlite/folder-lock.ts'
import {
  harvestBoxes,
  harvesterOf,
  packSettingsOfDataset,
  type HarvesterDeps,
  type HarvestRequest,
} from './harvest-plan.ts'
import { openFolderJournal, type FolderJournal } from './journal.ts'

/** A dataset that was copied for an area, built as a pack in a work folder. */
export type HarvestedPack = {
  path: string
  sha256: string
  /** Whether the server need not index it. */
  isIndexed: boolean
  /** The layers of a GeoPackage; empty for a raster. */
  layers: { layer: string; built: PackBuildResult }[]
  /** `12 features` or `4,096 cells`. */
  size: string
  margin_m: number
  /** The column that identifies a feature; null if there is none. */
  key: string | null
  /** The edition of the data, or the day on which the publisher last changed it; null if it is not known. */
  vintage: string | null
  startedAt: Date
  host: string
}

/** What copying a dataset needs. `workFolder` holds the journals of unfinished copies. */
export type HarvestDatasetDeps = HarvesterDeps & {
  /** The pack layer of a dataset (its only one if `layer` is null), and what the catalog reads from it. */
  targetOf: (dataset: string, layer: string | null) => { layer: string; expected: PackRequirements }
  workFolder: string
  /** Builds a layer in a worker. */
  build: (job: BuildJob) => Promise<PackBuildResult>
  onFeatures: (features: number) => void
}

/** A text that is equal for copies of the same data of the same area. */
export function harvestHashOf({ use, dataset, area }: HarvestRequest): string {
  const { boxes } = harvestBoxes(area, use)
  return Bun.hash(JSON.stringify([journalFormat, dataset.serve, dataset.attributes, boxes])).toString(36)
}

/**
 * Copies a dataset for an area from the service that answers online, builds the pack in a work folder, and has it
 * published. A copy that was interrupted continues: only its last request is sent again.
 * @throws {UpstreamError} if the service fails, or its answers contradict each other.
 * @throws {PackError} if no pack can be built of them.
 */
export async function harvestDataset(
  request: HarvestRequest,
  publish: (pack: HarvestedPack) => Promise<void>,
  deps: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<HarvestedPack> {
  const { use, dataset, area } = request
  const settings = packSettingsOfDataset(dataset)
  const harvester = harvesterOf(request, deps)
  if (!settings || !harvester) throw new PackError(`${use.dataset} cannot be copied from its service.`)
  const { boxes, margin_m } = harvestBoxes(area, use)
  const folder = join(deps.workFolder, `${use.dataset}-${area.id}-${harvestHashOf(request)}`)
  const unlock = lockFolder(folder)
  try {
    const journal = openFolderJournal(join(folder, 'journal'), { now: deps.now, onPage: deps.onFeatures })
    const common = { margin_m, startedAt: journal.startedAt, host: harvester.host }
    const place = { boxes, folder, journal, settings, dataset: use.dataset }
    const built =
      harvester.shape === 'raster'
        ? await copyRaster(harvester, place, signal)
        : harvester.shape === 'document'
          ? await copyDocuments(harvester, place, deps, signal)
          : await copyLayers(harvester, place, deps, signal)
    const pack: HarvestedPack = { ...built, ...common }
    await publish(pack)
    rmSync(folder, { recursive: true, force: true })
    return pack
  } catch (error) {
    // Only a copy that was interrupted can be continued. Contradictions would stay in the journal.
    if (!isInterruption(error, signal)) rmSync(folder, { recursive: true, force: true })
    throw error
  } finally {
    unlock()
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
  const { cells, vintage } = await harvester.copy(boxes, journal, { signal }, path)
  const sha256 = await sha256OfFile(path)
  return { path, sha256, isIndexed: true, layers: [], size: pluralize(cells, 'cell'), key: null, vintage }
}

async function copyDocuments(
  harvester: DocumentHarvester,
  { folder, journal, dataset }: CopyPlace,
  deps: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<BuiltPack> {
  const documents = await harvester.copy(journal, { signal })
  const input = join(folder, 'documents.geojsonl')
  const toFeature = ({ key, document }: KeyedDocument) =>
    JSON.stringify({ type: 'Feature', properties: { key, document: JSON.stringify(document) }, geometry: null })
  writeFileSync(input, documents.map((it) => `${toFeature(it)}\n`).join(''))
  const { layer } = deps.targetOf(dataset, null)
  const requirements = {
    dataset,
    attributes: Object.values(documentColumns),
    layers: [],
    needsPolygons: false,
    tables: [{ name: layer, keys: [[documentColumns.key]] }],
  }
  const built = await buildLayer(
    { inputs: [input], layer, requirements },
    { folder, journal, existingPack: null },
    deps,
  )
  rmSync(input)
  const { path, sha256, isIndexed } = built
  const size = pluralize(documents.length, 'document')
  return { path, sha256, isIndexed, layers: [{ layer, built }], size, key: null, vintage: null }
}

async function copyLayers(
  harvester: FeatureHarvester,
  { boxes, folder, journal, settings, dataset }: CopyPlace,
  deps: HarvestDatasetDeps,
  signal: AbortSignal,
): Promise<BuiltPack> {
  const copied = await harvester.copy(boxes, journal, { signal })
  const groups = groupByPackLayer(copied, settings)
  const layers = await buildLayers(groups, { dataset, folder, journal }, deps)
  const features = requireAllFeatures(copied, layers, dataset, harvester.host)
  const keys = new Set(groups.map(({ members }) => (members.length === 1 ? members[0]!.key : null)))
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
const journalFormat = 1

const interruptions = new Set([
  'timeout',
  'connection_failed',
  'upstream_5xx',
  'rate_limited',
  'quota_exhausted',
  'source_suspended',
  'fetch_busy',
])

function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof UpstreamError && interruptions.has(error.code))
}

/** The copied layers that become one layer of the pack. `layer`: its name in the catalog, null for the only one. */
type LayerGroup = { layer: string | null; members: HarvestedLayer[] }

function groupByPackLayer(copied: readonly HarvestedLayer[], { layer, layers }: PackSettings): LayerGroup[] {
  const nameOf = ({ level, position }: HarvestedLayer): string | null =>
    layers ? layers[position]! : (layer?.replaceAll('{level}', String(level)) ?? null)
  return [...Map.groupBy(copied, nameOf)].map(([name, members]) => ({ layer: name, members }))
}

async function buildLayers(
  groups: readonly LayerGroup[],
  { dataset, folder, journal }: { dataset: string; folder: string; journal: FolderJournal },
  deps: HarvestDatasetDeps,
): Promise<HarvestedPack['layers']> {
  const layers: HarvestedPack['layers'] = []
  for (const [i, { layer: name, members }] of groups.entries()) {
    const { layer, expected } = deps.targetOf(dataset, name)
    const input = join(folder, `${dataset}-${i}.geojsonl`)
    await journal.joinPages(
      members.flatMap(({ pages }) => pages),
      input,
      { unique: members.some(({ hasRepeats }) => hasRepeats) },
    )
    const hasFeatures = members.some(({ features }) => features > 0)
    const columns = [...new Set([...members.flatMap((it) => it.columns), ...(hasFeatures ? [] : expected.attributes)])]
    const built = await buildLayer(
      { inputs: hasFeatures ? [input] : [], columns, layer, requirements: expected },
      { folder, journal, existingPack: layers.at(-1)?.built.path ?? null },
      deps,
    )
    rmSync(input)
    layers.push({ layer, built })
  }
  return layers
}

/** Builds one layer or table of a pack in a worker. */
function buildLayer(
  layer: Pick<BuildJob, 'inputs' | 'columns' | 'layer' | 'requirements'>,
  { folder, journal, existingPack }: { folder: string; journal: FolderJournal; existingPack: string | null },
  { build }: HarvestDatasetDeps,
): Promise<PackBuildResult> {
  const work = join(folder, `layer-${layer.layer}`)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work)
  return build({
    ...layer,
    mayBeEmpty: true,
    // The day, so that a copy that was interrupted gives the same file.
    lastChange: `${journal.startedAt.toISOString().slice(0, 10)}T00:00:00.000Z`,
    folder: work,
    name: 'part.gpkg',
    existingPack,
    crs: null,
    where: null,
    numberColumn: null,
    keepWhole: false,
    renames: [],
    source: { layer: null, lat: null, lng: null },
    recipe: {},
    constantColumns: {},
  })
}

/** The number of features in the pack. @throws {PackError} if it is not the number that the service counts. */
// oxlint-disable-next-line max-params -- What was counted, what was built, and their names.
function requireAllFeatures(
  copied: readonly HarvestedLayer[],
  layers: HarvestedPack['layers'],
  dataset: string,
  host: string,
): number {
  const built = layers.reduce((sum, layer) => sum + layer.built.features, 0)
  const counts = copied.map(({ service_count }) => service_count)
  if (counts.includes(null)) return built
  const counted = counts.reduce<number>((sum, count) => sum + count!, 0)
  if (built === counted) return built
  throw new PackError(
    `${host} counts ${pluralize(counted, 'feature')} of ${dataset} in the area, but the pack has ${built}.`,
  )
}
