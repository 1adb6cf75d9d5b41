import { basename, extname } from 'node:path'
import type { PackSettings } from '../../drivers/pack/pack-expectation.ts'
import type { Dataset } from '../../catalog/records.ts'
import { ConfigError } from '../../config.ts'
import { listNearest, suggestName } from '../../model/nearest-name.ts'
import { fileErrorText } from '../../model/text.ts'
import { listAddressPackFiles } from '../../packs/addresses/address-pack-folder.ts'
import { formatNames } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'
import { listPackPaths, partFolderOf } from '../../packs/part-files.ts'
import type { PackRequirements } from '../../packs/pack.ts'
import type { PackCommandDeps } from './pack-deps.ts'

/** The pack file of a dataset, the layer in it, and what the catalog reads from that layer. */
export type PackTarget = { dataset: Dataset; file: string; layer: string; expected: PackRequirements }

/**
 * Finds the pack target of a dataset. `layer` selects one of several layers.
 * @throws {FileError} with suggestions for an unknown name.
 */
export function findPackTarget(
  id: string,
  layer: string | null,
  deps: Pick<PackCommandDeps, 'catalog' | 'expected'>,
): PackTarget {
  const dataset = deps.catalog.datasets.get(id)
  if (!dataset) throw new FileError(`Unknown dataset ${id}.${datasetHint(id, deps)}`)
  const settings = packSettingsOf(dataset)
  if (!settings)
    throw new FileError(
      `${id} cannot be served from a pack. \`fieldstone pack list --all\` lists the ${packBackedDatasets(deps).length} datasets that can.`,
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

/** Returns the targets to build together: the given layer, the only layer, or all layers of the dataset's recipe. */
export function findPackTargets(
  id: string,
  layer: string | null,
  deps: Pick<PackCommandDeps, 'catalog' | 'expected'>,
): PackTarget[] {
  const recipeLayers = deps.catalog.datasets.get(id)?.recipe?.layers
  if (layer !== null || !recipeLayers) return [findPackTarget(id, layer, deps)]
  return recipeLayers.map((it) => findPackTarget(id, it.layer, deps))
}

/** The ids of the datasets that can be served from a pack, sorted. */
export function packBackedDatasets({ catalog }: Pick<PackCommandDeps, 'catalog'>): string[] {
  return [...catalog.datasets]
    .filter(([, dataset]) => packSettingsOf(dataset))
    .map(([id]) => id)
    .toSorted()
}

/** The pack files and parts in the folder, each with the datasets that the catalog reads from it. */
export function listServedPacks({
  folder,
  expected,
}: Pick<PackCommandDeps, 'folder' | 'expected'>): { file: string; datasets: string[] }[] {
  return listFolder(folder)
    .map((file) => ({ file, datasets: expected(file).map(({ dataset }) => dataset) }))
    .filter(({ file, datasets }) => partFolderOf(file) === null || datasets.length > 0)
}

/** The address pack with this name, with or without `.sqlite`. Null if there is none. */
export function findAddressPackFile(word: string, folder: string): string | null {
  return listAddressPackFiles(folder).find((name) => name === word || name === `${word}.sqlite`) ?? null
}

/** The error of a name that no pack in the folder has. */
export function missingPackError(
  name: string,
  { folder, names }: { folder: string; names: readonly string[] },
): FileError {
  const hint = suggestName(name, names) || ' `fieldstone pack list` lists the packs.'
  return new FileError(`There is no pack ${name} in ${folder}.${hint}`)
}

/** A sentence about a name that is no dataset: what it is instead, or the most similar names. */
export function datasetHint(name: string, deps: Pick<PackCommandDeps, 'catalog' | 'expected'>): string {
  const { fields, presets } = deps.catalog
  const kind = fields.has(name) ? 'field' : presets.has(name) ? 'preset' : null
  if (kind === null)
    return ` ${listNearest(name, packBackedDatasets(deps))} \`fieldstone pack list --all\` lists the datasets.`
  const flag = kind === 'field' ? '--fields' : '--preset'
  return ` It is a ${kind}. To get its data, name an area, such as: fieldstone pack fetch ${flag} ${name} --area "Boulder County, CO"`
}

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
    throw new FileError(`The pack of ${id} has several layers. Select one with --layer: ${formatNames(layers)}.`)
  if (name === undefined)
    throw new FileError(`The pack of ${id} has no layer ${layer}. Its layers are ${formatNames(layers)}.`)
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
    return listPackPaths(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ConfigError(`Cannot read ${folder}: ${fileErrorText(error)}. Make it readable for this user.`, {
      cause: error,
    })
  }
}
