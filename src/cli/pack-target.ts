import { readdirSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { PackSettings } from '../drivers/pack-expectation.ts'
import type { Dataset } from '../catalog/records.ts'
import { ConfigError } from '../config.ts'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { formatNames } from '../packs/geopackage-file.ts'
import { PackError } from '../packs/pack-error.ts'
import type { PackRequirements } from '../packs/pack.ts'
import type { PackCommandDeps } from './pack-deps.ts'

/** Where the catalog expects the pack of a dataset: the file, the layer in it that is meant, and what is read of that layer. */
export type PackTarget = { dataset: Dataset; file: string; layer: string; expected: PackRequirements }

/** Looks a dataset up; `layer` chooses one where its pack has several. Refuses what is not known, with what may have been meant. */
export function findPackTarget(
  id: string,
  layer: string | null,
  deps: Pick<PackCommandDeps, 'catalog' | 'expected'>,
): PackTarget {
  const dataset = deps.catalog.datasets.get(id)
  if (!dataset) throw new PackError(`There is no dataset ${id}.${suggestionsFor(id, packBackedDatasets(deps))}`)
  const settings = packSettingsOf(dataset)
  if (!settings)
    throw new PackError(
      `${id} is not read from a pack; those that are: ${packBackedDatasets(deps).length} datasets, in \`fieldstone pack list --all\`.`,
    )
  const { file } = settings
  const expectedFile = deps.expected(file).find((expected) => expected.dataset === id)
  if (!expectedFile || file.endsWith('.tif'))
    return {
      dataset,
      file,
      layer: layer ?? '',
      expected: expectedFile ?? { dataset: id, attributes: [], layers: [], needsPolygons: false, tables: [] },
    }
  return { dataset, file, ...resolveLayer(id, layer, file, expectedFile) }
}

/** The targets that are built together: that of the layer that is named, the only one, or all that the recipe of the dataset makes of its files. */
export function findPackTargets(
  id: string,
  layer: string | null,
  deps: Pick<PackCommandDeps, 'catalog' | 'expected'>,
): PackTarget[] {
  const recipeLayers = deps.catalog.datasets.get(id)?.recipe?.layers
  if (layer !== null || !recipeLayers) return [findPackTarget(id, layer, deps)]
  return recipeLayers.map((it) => findPackTarget(id, it.layer, deps))
}

/** The datasets that can be read from a pack. */
export function packBackedDatasets({ catalog }: Pick<PackCommandDeps, 'catalog'>): string[] {
  return [...catalog.datasets]
    .filter(([, dataset]) => packSettingsOf(dataset))
    .map(([id]) => id)
    .toSorted()
}

/** The files in the folder that a dataset is read from, and those datasets. */
export function listServedPacks({
  folder,
  expected,
}: Pick<PackCommandDeps, 'folder' | 'expected'>): { file: string; datasets: string[] }[] {
  return listFolder(folder)
    .filter((file) => /^\w[\w.-]*\.(gpkg|tif)$/.test(file))
    .toSorted()
    .map((file) => ({ file, datasets: expected(file).map(({ dataset }) => dataset) }))
}

/** The file of address packs that a word names: by its name, with or without `.sqlite`. `null` when it is the name of none. */
export function findAddressPackFile(word: string, folder: string): string | null {
  return listAddressPackFiles(folder).find((name) => name === word || name === `${word}.sqlite`) ?? null
}

/** The names among these that are most like another. */
function suggestionsFor(name: string, names: readonly string[]): string {
  const pairs = (text: string) =>
    new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2).toLowerCase()))
  const namePairs = pairs(name)
  const similarity = (other: string) =>
    (2 * namePairs.intersection(pairs(other)).size) / Math.max(1, namePairs.size + pairs(other).size)
  const closest = names
    .filter((other) => similarity(other) >= minSimilarity)
    .toSorted((a, b) => similarity(b) - similarity(a))
    .slice(0, 5)
  return closest.length > 0
    ? ` Was one of these meant: ${closest.join(', ')}?`
    : ' `fieldstone pack list --all` lists those that are read from a pack.'
}

const minSimilarity = 0.4

function packSettingsOf({ serve }: Dataset): PackSettings | null {
  return serve.find((serving) => serving.driver === 'pack') ?? null
}

function resolveLayer(
  id: string,
  layer: string | null,
  file: string,
  expectedFile: PackRequirements,
): { layer: string; expected: PackRequirements } {
  const layerNameOf = (name: string | null) => name ?? basename(file, extname(file))
  const layers = [...expectedFile.layers.map(layerNameOf), ...expectedFile.tables.map(({ name }) => layerNameOf(name))]
  const name =
    layer === null && layers.length === 1 ? layers[0]! : layers.find((it) => it.toLowerCase() === layer?.toLowerCase())
  if (name === undefined && layer === null)
    throw new PackError(
      `The pack of ${id} has several layers: say with --layer which of ${formatNames(layers)} this is.`,
    )
  if (name === undefined)
    throw new PackError(`The pack of ${id} has no layer ${layer}; the catalog reads ${formatNames(layers)}.`)
  const { anyLayer: _, ...rest } = expectedFile
  return {
    layer: name,
    expected: {
      ...rest,
      layers: expectedFile.layers.filter((it) => layerNameOf(it) === name),
      tables: expectedFile.tables.filter((it) => layerNameOf(it.name) === name),
    },
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ConfigError(`${folder} cannot be read: ${(error as Error).message}. Let this account read it.`, {
      cause: error,
    })
  }
}
