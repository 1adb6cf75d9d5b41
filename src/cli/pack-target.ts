import { readdirSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { PackSettings } from '../drivers/pack-expectation.ts'
import type { Dataset } from '../catalog/records.ts'
import { ConfigError } from '../config.ts'
import { listAddressPackFiles } from '../packs/addresses/address-pack-folder.ts'
import { formatNames } from '../packs/geopackage-file.ts'
import { PackError } from '../packs/pack-error.ts'
import type { PackRequirements } from '../packs/pack.ts'
import type { PackTools } from './pack-tools.ts'

/** Where the catalog expects the pack of a dataset: the file, the layer in it that is meant, and what is read of that layer. */
export type PackTarget = { dataset: Dataset; file: string; layer: string; expected: PackRequirements }

/** Looks a dataset up; `layer` chooses one where its pack has several. Refuses what is not known, with what may have been meant. */
export function packTarget(id: string, layer: string | null, tools: Pick<PackTools, 'catalog' | 'expected'>): PackTarget {
  const dataset = tools.catalog.datasets.get(id)
  if (!dataset) throw new PackError(`There is no dataset ${id}.${suggested(id, packDatasets(tools))}`)
  const settings = packSettingsOf(dataset)
  if (!settings) throw new PackError(`${id} is not read from a pack; those that are: ${packDatasets(tools).length} datasets, in \`fieldstone pack list --all\`.`)
  const { file } = settings
  const whole = tools.expected(file).find((expected) => expected.dataset === id)
  if (!whole || file.endsWith('.tif')) return { dataset, file, layer: layer ?? '', expected: whole ?? { dataset: id, attributes: [], layers: [], needsPolygons: false, tables: [] } }
  return { dataset, file, ...layerOf(id, layer, file, whole) }
}

/** The targets that are built together: that of the layer that is named, the only one, or all that the recipe of the dataset makes of its files. */
export function packTargets(id: string, layer: string | null, tools: Pick<PackTools, 'catalog' | 'expected'>): PackTarget[] {
  const made = tools.catalog.datasets.get(id)?.recipe?.layers
  if (layer !== null || !made) return [packTarget(id, layer, tools)]
  return made.map((it) => packTarget(id, it.layer, tools))
}

/** The datasets that can be read from a pack. */
export function packDatasets({ catalog }: Pick<PackTools, 'catalog'>): string[] {
  return [...catalog.datasets].filter(([, dataset]) => packSettingsOf(dataset)).map(([id]) => id).toSorted()
}

/** The files in the folder that a dataset is read from, and those datasets. */
export function servedPacks({ folder, expected }: Pick<PackTools, 'folder' | 'expected'>): { file: string; datasets: string[] }[] {
  return filesIn(folder).filter((file) => /^\w[\w.-]*\.(gpkg|tif)$/.test(file)).toSorted().map((file) => ({ file, datasets: expected(file).map(({ dataset }) => dataset) }))
}

/** The file of address packs that a word names: by its name, with or without `.sqlite`. `null` when it is the name of none. */
export function addressPackNamed(word: string, folder: string): string | null {
  return listAddressPackFiles(folder).find((name) => name === word || name === `${word}.sqlite`) ?? null
}

/** The names among these that are most like another. */
function suggested(name: string, names: readonly string[]): string {
  const pairs = (text: string) => new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2).toLowerCase()))
  const asked = pairs(name)
  const alike = (other: string) => (2 * asked.intersection(pairs(other)).size) / Math.max(1, asked.size + pairs(other).size)
  const near = names.filter((other) => alike(other) >= leastAlike).toSorted((a, b) => alike(b) - alike(a)).slice(0, 5)
  return near.length > 0 ? ` Was one of these meant: ${near.join(', ')}?` : ' `fieldstone pack list --all` lists those that are read from a pack.'
}

const leastAlike = 0.4

function packSettingsOf({ serve }: Dataset): PackSettings | null {
  return serve.find((serving) => serving.driver === 'pack') ?? null
}

function layerOf(id: string, layer: string | null, file: string, whole: PackRequirements): { layer: string; expected: PackRequirements } {
  const only = (name: string | null) => name ?? basename(file, extname(file))
  const layers = [...whole.layers.map(only), ...whole.tables.map(({ name }) => only(name))]
  const name = layer === null && layers.length === 1 ? layers[0]! : layers.find((it) => it.toLowerCase() === layer?.toLowerCase())
  if (name === undefined && layer === null) throw new PackError(`The pack of ${id} has several layers: say with --layer which of ${formatNames(layers)} this is.`)
  if (name === undefined) throw new PackError(`The pack of ${id} has no layer ${layer}; the catalog reads ${formatNames(layers)}.`)
  const { anyLayer: _, ...rest } = whole
  return { layer: name, expected: { ...rest, layers: whole.layers.filter((it) => only(it) === name), tables: whole.tables.filter((it) => only(it.name) === name) } }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ConfigError(`${folder} cannot be read: ${(error as Error).message}. Let this account read it.`, { cause: error })
  }
}
