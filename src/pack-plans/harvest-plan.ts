/**
 * Plans the packs of an area: which files of publishers cover it, and which services can be copied. The server shows
 * what is missing here, and starts a fetch as another process; `src/build-packs/` does the work.
 */
import type { Catalog } from '../catalog/catalog.ts'
import { copiedServiceOf } from '../catalog/copy-rules.ts'
import type { Dataset } from '../catalog/records.ts'
import type { Driver } from '../drivers/driver.ts'
import { drivers } from '../drivers/drivers.ts'
import type { HarvestDeps, HarvestEstimate, HarvestedDataset, Harvester } from '../drivers/harvest.ts'
import type { PackSettings } from '../drivers/pack/pack-expectation.ts'
import { isElsewhere } from '../fetch/catalog/area-presets.ts'
import { widenBoxes, type QueryBox } from '../geo/boxes.ts'
import { regionsOfBoxes } from '../geo/us.ts'
import { UpstreamError } from '../model/error.ts'
import { boxesOfArea, geometryOfArea, type Area } from './area.ts'
import type { Counties } from './counties.ts'
import { isBuiltIn, reasonAgainstPack } from './copy-reasons.ts'
import type { DatasetUse } from './dataset-fields.ts'
import { fileAddressesOf, reasonAgainstFiles } from './published-files.ts'
import type { TSchema } from '@sinclair/typebox'
import type { PackPlanDataset } from '../catalog/pack-fetch-document.ts'

/** How a dataset becomes available offline. */
export type PlannedDataset = PackPlanDataset & {
  /** The host of the service, or the addresses of the files. */
  from: string | null
  /** The pack file of the dataset. */
  pack: string | null
  /** How far beyond the area data is copied, so that searches near its border are complete. */
  margin_m: number
  features: number | null
  /** Why the dataset cannot be copied, why its size is not known, why its files are not used, or how to get a newer one. */
  reason: string | null
}

/** The API keys that are set, by name. */
type ApiKeys = Pick<ReadonlyMap<string, string>, 'get'>

/** What it takes to copy any dataset: also the counties whose records are copied, and the API keys of publishers. */
export type HarvesterDeps = HarvestDeps & { counties: Pick<Counties, 'near'>; keys: ApiKeys }

/**
 * Finds the publisher's files of a dataset: how many bytes are not downloaded yet, null if the publisher does not state
 * it; or the address of a file that does not exist.
 * @throws {UpstreamError} if the publisher fails.
 */
export type FindFiles = (
  id: string,
  addresses: readonly string[],
) => Promise<{ bytes: number | null } | { missing: string }>

/** What a plan needs. `net` and `findFiles` are null when the network is off: then sizes are not known. */
export type PlanDeps = Omit<HarvesterDeps, 'net'> & {
  catalog: Catalog
  net: HarvestDeps['net'] | null
  findFiles: FindFiles | null
  /** Copies a service also where the publisher has files, or the executable has the data. */
  prefersServices: boolean
}

/** Plans how a dataset becomes available in an area. Asks its service how much data there is. */
export async function planDataset(
  use: DatasetUse,
  area: Area,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedDataset> {
  const dataset = deps.catalog.datasets.get(use.dataset)!
  const settings = packSettingsOfDataset(dataset)
  const { margin_m } = harvestBoxes(area, use)
  const planned: PlannedDataset = {
    dataset: use.dataset,
    title: dataset.title,
    license: dataset.license,
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
  if (isElsewhere(dataset, new Set(regionsOfBoxes(boxesOfArea(area)))))
    return { ...planned, reason: 'It has no data there.' }
  const hasService = copiedServiceOf(dataset) !== null
  const isCopyable = settings !== undefined && hasService
  if (isBuiltIn(dataset) && !(deps.prefersServices && isCopyable)) {
    const reason = isCopyable ? newerEdition : null
    return { ...planned, how: 'built_in', margin_m: 0, requests: 0, features: null, bytes: 0, seconds: 0, reason }
  }
  const reason = reasonAgainstPack(dataset)
  if (reason !== null) return { ...planned, reason }
  if (!dataset.recipe || (deps.prefersServices && hasService))
    return planService(planned, { dataset, use, area }, deps, signal)
  const files = await planFiles(planned, { dataset, use, area }, deps)
  return files.missing === null || !hasService
    ? files.planned
    : planService({ ...planned, reason: files.missing }, { dataset, use, area }, deps, signal)
}

/** Plans the download of the publisher's files. `missing`: a sentence if the publisher does not have one of them. */
async function planFiles(
  planned: PlannedDataset,
  { dataset, use, area }: HarvestRequest,
  { counties, findFiles }: PlanDeps,
): Promise<{ planned: PlannedDataset; missing: string | null }> {
  const addresses = fileAddressesOf(dataset.recipe!, harvestBoxes(area, use).boxes, counties)
  const files: PlannedDataset = { ...planned, how: 'file', from: addresses.join(' ') }
  if (findFiles === null) return { planned: { ...files, reason: unknownSize }, missing: null }
  try {
    const found = await findFiles(use.dataset, addresses)
    if ('missing' in found) {
      const reason = `The publisher has no file ${found.missing}, so the service is copied.`
      return { planned: files, missing: reason }
    }
    if (found.bytes === null) return { planned: files, missing: null }
    const seconds = Math.ceil(found.bytes / downloadedBytesPerSecond)
    return { planned: { ...files, bytes: found.bytes, requests: addresses.length, seconds }, missing: null }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { planned: { ...files, reason: error.message }, missing: null }
  }
}

/** Plans the copy of a service. A reason that is planned already, such as a missing file, stays. */
// oxlint-disable-next-line max-params -- What is planned, of what, with what, and until when.
async function planService(
  planned: PlannedDataset,
  { dataset, use, area }: HarvestRequest,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<PlannedDataset> {
  const missing = missingSettingOf(dataset, deps)
  if (missing !== null) return { ...planned, reason: missing }
  const reason = planned.reason ?? reasonAgainstFiles(dataset)
  const service: PlannedDataset = { ...planned, how: 'service', reason }
  const harvester = deps.net && harvesterOf({ dataset, use, area }, { ...deps, net: deps.net })
  if (!harvester) return { ...service, reason: joinSentences(unknownSize, reason) }
  const { host: from } = harvester
  try {
    const size = sizeOf(await harvester.estimate(harvestBoxes(area, use).boxes, { signal }))
    const isRaster = harvester.shape === 'raster'
    return { ...service, from, ...size, ...(isRaster && { features: null }) }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { ...service, from, reason: joinSentences(error.message, reason) }
  }
}

const newerEdition = 'Its service can have a newer edition. To copy it, add --services.'
const unknownSize = 'The network is off, so the size is not known.'

function joinSentences(first: string, second: string | null): string {
  return second === null ? first : `${first} ${second}`
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
    counties:
      dataset.shape === 'document' ? deps.counties.near(harvestBoxes(area, use).boxes).map(({ geoid }) => geoid) : [],
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
const downloadedBytesPerSecond = 5_000_000

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
