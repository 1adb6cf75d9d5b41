import type { Catalog } from '../catalog/catalog.ts'
import { copiedServiceOf } from '../catalog/copy-rules.ts'
import type { Dataset } from '../catalog/records.ts'
import type { Driver } from '../drivers/driver.ts'
import { drivers } from '../drivers/drivers.ts'
import type { HarvestDeps, HarvestEstimate, HarvestedDataset, Harvester } from '../drivers/harvest.ts'
import type { PackSettings } from '../drivers/pack-expectation.ts'
import { widenBoxes, type QueryBox } from '../geo/boxes.ts'
import { UpstreamError } from '../model/error.ts'
import { boxesOfArea, geometryOfArea, type Area } from './area.ts'
import type { Counties } from './counties.ts'
import { isBuiltIn, reasonAgainstPack } from './copy-reasons.ts'
import type { DatasetUse } from './dataset-fields.ts'
import type { TSchema } from '@sinclair/typebox'

/**
 * How a dataset becomes available offline. `built_in`: it is part of the executable. `file`: `pack fetch` downloads the
 * publisher's files. `service`: the data of the area is copied from the service. `impossible`: the reason says why.
 */
export type PlannedDataset = {
  dataset: string
  title: string
  licence: string
  fields: string[]
  how: 'built_in' | 'file' | 'service' | 'impossible'
  /** The host of the service, or the address of the file. */
  from: string | null
  /** The pack file of the dataset. */
  pack: string | null
  /** How far beyond the area data is copied, so that searches near its border are complete. */
  margin_m: number
  requests: number | null
  features: number | null
  bytes: number | null
  seconds: number | null
  /** Why the dataset cannot be copied, or why its size is not known. */
  reason: string | null
}

/** The API keys that are set, by name. */
type ApiKeys = Pick<ReadonlyMap<string, string>, 'get'>

/** What it takes to copy any dataset: also the counties whose records are copied, and the API keys of publishers. */
export type HarvesterDeps = HarvestDeps & { counties: Pick<Counties, 'near'>; keys: ApiKeys }

/** What a plan needs. `net` is null when the network is off: then sizes are not known. */
export type PlanDeps = Omit<HarvesterDeps, 'net'> & { catalog: Catalog; net: HarvestDeps['net'] | null }

/** Plans how a dataset becomes available in an area. Asks its service how much data there is. */
export async function planDataset(
  use: DatasetUse,
  area: Area,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedDataset> {
  const dataset = deps.catalog.datasets.get(use.dataset)!
  const settings = packSettingsOfDataset(dataset)
  const { margin_m, boxes } = harvestBoxes(area, use)
  const planned: PlannedDataset = {
    dataset: use.dataset,
    title: dataset.title,
    licence: dataset.licence,
    fields: use.fields,
    how: 'impossible',
    from: null,
    pack: settings?.file ?? null,
    margin_m,
    requests: null,
    features: null,
    bytes: null,
    seconds: null,
    reason: null,
  }
  if (isBuiltIn(dataset))
    return { ...planned, how: 'built_in', margin_m: 0, requests: 0, features: null, bytes: 0, seconds: 0 }
  const reason = reasonAgainstPack(dataset)
  if (reason !== null) return { ...planned, reason }
  if (dataset.recipe)
    return {
      ...planned,
      how: 'file',
      from: dataset.recipe.files.join(' '),
    }
  const missing = missingSettingOf(dataset, deps)
  if (missing !== null) return { ...planned, reason: missing }
  const harvester = deps.net && harvesterOf({ dataset, use, area }, { ...deps, net: deps.net })
  if (!harvester) return { ...planned, how: 'service', reason: 'The network is off, so the size is not known.' }
  try {
    const size = sizeOf(await harvester.estimate(boxes, { signal }))
    const isRaster = harvester.shape === 'raster'
    return { ...planned, how: 'service', from: harvester.host, ...size, ...(isRaster && { features: null }) }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { ...planned, how: 'service', from: harvester.host, reason: error.message }
  }
}

/** The harvester of a dataset: of the service that answers first online. Null if it cannot be copied. */
export function harvesterOf({ dataset, use, area }: HarvestRequest, deps: HarvesterDeps): Harvester | null {
  const service = copiedServiceOf(dataset)
  if (!service) return null
  const { driver: name, ...config } = service
  const driver = drivers[name] as Driver<TSchema>
  const harvested: HarvestedDataset = {
    id: use.dataset,
    attributes: copiedAttributesOf({ dataset, use }),
    levels: dataset.levels ?? [],
    editions: use.editions,
    apiKey: dataset.needs_key?.env ? (deps.keys.get(dataset.needs_key.env) ?? null) : null,
    keyField: dataset.key_field ?? null,
    counties: dataset.shape === 'document' ? deps.counties.near(harvestBoxes(area, use).boxes) : [],
  }
  return driver.harvest?.(config, deps, harvested) ?? null
}

/** The attributes that a copy has: all if undefined. */
export function copiedAttributesOf({ dataset, use }: Pick<HarvestRequest, 'dataset' | 'use'>): string[] | undefined {
  if (dataset.shape === 'document') return dataset.attributes
  return dataset.attributes && [...new Set([...dataset.attributes, ...use.attributes])]
}

/** One dataset and the area for which it is copied. */
export type HarvestRequest = { use: DatasetUse; dataset: Dataset; area: Area }

/**
 * The boxes from which the data of a dataset is copied. Searches without a limit are limited to this distance. The
 * coverage in the manifest of a pack gives the same boxes as the area that it was copied for.
 */
export function harvestBoxes(area: Area, { reach_m }: DatasetUse): { boxes: QueryBox[]; margin_m: number } {
  const margin_m = Math.min(reach_m, maxMargin_m)
  const rounded = { ...area, polygons: geometryOfArea(area).coordinates }
  return { boxes: widenBoxes(boxesOfArea(rounded), margin_m + safety_m), margin_m }
}

/** The pack settings of a dataset; undefined if it cannot have a pack. */
export function packSettingsOfDataset({ serve }: Dataset): PackSettings | undefined {
  return serve.find((serving) => serving.driver === 'pack')
}

const maxMargin_m = 2_000_000
/** Distances are measured on the ellipsoid, and boxes by a shorter degree. */
const safety_m = 50
/** What a plan reckons with: two requests at a time, each with its pause. */
const secondsPerRequest = 0.6
const bytesPerSecond = 1_000_000

function sizeOf({ requests, features, bytes }: HarvestEstimate) {
  return { requests, features, bytes, seconds: Math.ceil(requests * secondsPerRequest + bytes / bytesPerSecond) }
}

/** Returns a sentence that names the missing setting of the service; null if none is missing. */
function missingSettingOf(dataset: Dataset, { keys, overpass = null }: PlanDeps): string | null {
  if (copiedServiceOf(dataset)?.driver === 'overpass' && overpass === null)
    return 'It needs an Overpass instance. Set FIELDSTONE_OVERPASS.'
  const { required = false, env = null } = dataset.needs_key ?? {}
  return required && env !== null && keys.get(env) === undefined ? `Its service needs an API key. Set ${env}.` : null
}
