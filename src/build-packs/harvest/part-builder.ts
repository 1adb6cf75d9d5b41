import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarvestedLayer, KeyedDocument } from '../../drivers/harvest.ts'
import type { BuildJob, PackBuildResult } from '../build-pack.ts'
import { documentTable, documentTableRequirements } from '../../packs/layer/pack-table.ts'
import type { PackRequirements } from '../../packs/pack.ts'
import type { FolderJournal } from './journal.ts'

/** A layer or table of a part, and the file that has it and all layers before it. */
export type BuiltLayer = { layer: string; built: PackBuildResult }

/** Builds a layer in a worker. */
export type BuildInWorker = (job: BuildJob) => Promise<PackBuildResult>

/** Where a part is built. `existingPack`: the file with the layers that it has already; null for the first one. */
type PartPlace = { dataset: string; folder: string; journal: FolderJournal; existingPack: string | null }

/** Builds one layer of a part from the copied layers that belong to it. */
export async function buildFeatures(
  members: readonly HarvestedLayer[],
  { layer, expected }: { layer: string; expected: PackRequirements },
  place: PartPlace,
  build: BuildInWorker,
): Promise<PackBuildResult> {
  const input = join(place.folder, `${place.dataset}-${layer}.geojsonl`)
  const pages = members.flatMap((member) => member.pages)
  await place.journal.joinPages(pages, input, { unique: members.some(({ hasRepeats }) => hasRepeats) })
  const hasFeatures = members.some(({ features }) => features > 0)
  const columns = [...new Set([...members.flatMap((it) => it.columns), ...(hasFeatures ? [] : expected.attributes)])]
  const source = { inputs: hasFeatures ? [input] : [], columns, layer, requirements: expected }
  const built = await buildLayer(source, place, build)
  rmSync(input)
  return built
}

/** Builds the table of documents of a part. */
export async function buildDocuments(
  documents: readonly KeyedDocument[],
  place: PartPlace,
  build: BuildInWorker,
): Promise<PackBuildResult> {
  const input = join(place.folder, `${documentTable}.geojsonl`)
  const lines = documents.map(({ key, document }) => {
    const properties = { key, document: JSON.stringify(document) }
    return `${JSON.stringify({ type: 'Feature', properties, geometry: null })}\n`
  })
  writeFileSync(input, lines.join(''))
  const requirements: PackRequirements = {
    dataset: place.dataset,
    attributes: documentTableRequirements.attributes,
    layers: [],
    needsPolygons: false,
    tables: [documentTableRequirements],
  }
  const inputs = documents.length > 0 ? [input] : []
  const source = { inputs, columns: ['key', 'document'], layer: documentTable, requirements }
  const built = await buildLayer(source, place, build)
  rmSync(input)
  return built
}

function buildLayer(
  source: Pick<BuildJob, 'inputs' | 'columns' | 'layer' | 'requirements'>,
  { folder, journal, existingPack }: PartPlace,
  build: BuildInWorker,
): Promise<PackBuildResult> {
  const work = join(folder, `layer-${source.layer}`)
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work)
  return build({
    ...source,
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
