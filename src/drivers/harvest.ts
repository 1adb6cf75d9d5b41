import type { QueryBox } from '../geo/boxes.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { GeoFeature } from './features/nearest-features.ts'
import { mapConcurrently } from '../async/map-concurrently.ts'

/** What can be stored as JSON. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [member: string]: JsonValue | undefined }

/**
 * The results of the requests of a harvest, on disk. A step that has a result is not done again, so that an interrupted
 * harvest continues where it stopped.
 */
export type HarvestJournal = {
  /** Returns the saved result of a step. Without one, does the work and saves its result. */
  step<T extends JsonValue>(name: string, work: () => Promise<T>): Promise<T>
  /** The same for a step that copies features, which are saved with the result. */
  page<T extends JsonValue>(name: string, work: () => Promise<{ features: GeoFeature[]; result: T }>): Promise<T>
  /** Returns a client that saves replies, and does not repeat a request if its reply is saved. */
  recordReplies(net: HttpClient): HttpClient
}

/**
 * What a driver needs to copy the data of an area. The client waits where the publisher asks for it. `overpass`: the
 * URL of the Overpass instance, if FIELDSTONE_OVERPASS sets one.
 */
export type HarvestDeps = { net: HttpClient; now: () => Date; overpass?: string | null }

/**
 * The dataset to copy: the attributes that the catalog reads (all if undefined), its levels, the editions that fields
 * read (0 is the newest, -n is n years before), and its API key if one is set. `keyField`: the field that has the key
 * of its records. `counties`: the codes of the counties in or near the area.
 */
export type HarvestedDataset = {
  id: string
  attributes: readonly string[] | undefined
  levels: readonly number[]
  editions: readonly number[]
  apiKey: string | null
  keyField: string | null
  counties: readonly string[]
}

/** The expected size of a harvest. */
export type HarvestEstimate = { requests: number; features: number; bytes: number }

/**
 * A copied layer: which layer of the dataset it is (`level` or its position in `layers` of the driver), its layer in
 * the pack if the settings name it, the names of its pages in the journal in order, its columns, and the column that
 * identifies a feature. `edited`: the day of the last change of the data, if the service states it. `service_count`:
 * the features that the service counts in the area, null if it does not count. `hasRepeats`: pages of adjacent boxes
 * can repeat a feature.
 */
export type HarvestedLayer = {
  level: number | null
  position: number
  packLayer: string | null
  pages: string[]
  columns: string[]
  key: string | null
  features: number
  service_count: number | null
  hasRepeats: boolean
  edited: string | null
}

/**
 * A copied raster: its cells in the grid of the service, and the edition or the day of its data, if it is known.
 * `editions`: the years of its bands, the newest first, if it has more than one.
 */
export type HarvestedRaster = { cells: number; vintage: string | null; editions?: number[] }

type Copier = {
  /** The host of the service. */
  host: string
  estimate(boxes: readonly QueryBox[], budget: Budget): Promise<HarvestEstimate>
  /** When the publisher last changed the data of the boxes; null if the service does not state it. */
  lastEdit?(boxes: readonly QueryBox[], budget: Budget): Promise<Date | null>
}

/** What a service answers for a key. */
export type KeyedDocument = { key: string; document: JsonValue }

/** Copies the features of an area from the service that answers online. */
export type FeatureHarvester = Copier & {
  shape: 'features'
  /**
   * Copies all features that touch the boxes, with their exact outlines.
   * @throws {UpstreamError} if the service fails, or its answers contradict each other.
   */
  copy(boxes: readonly QueryBox[], journal: HarvestJournal, budget: Budget): Promise<HarvestedLayer[]>
  /** The documents that belong to the values of an attribute of the features. */
  documents?: {
    keyAttribute: string
    copy(keys: readonly string[], journal: HarvestJournal, budget: Budget): Promise<KeyedDocument[]>
  }
}

/** Copies the cells of an area from the service that answers online. */
export type RasterHarvester = Copier & {
  shape: 'raster'
  /** Writes the cells that touch the boxes to a GeoTIFF at `path`. @throws {UpstreamError} as for features. */
  copy(boxes: readonly QueryBox[], journal: HarvestJournal, budget: Budget, path: string): Promise<HarvestedRaster>
}

/** Copies the documents of the keys of an area from the service that answers online. */
export type DocumentHarvester = Copier & {
  shape: 'document'
  /** Copies one document for each key. @throws {UpstreamError} if the service fails for one of them. */
  copy(journal: HarvestJournal, budget: Budget): Promise<KeyedDocument[]>
}

/** Copies the data of an area. */
export type Harvester = FeatureHarvester | RasterHarvester | DocumentHarvester

/** The requests that a harvest sends to one host at a time. */
export const harvestConcurrency = 2

/** Splits a list into lists of `size`; the last one may be shorter. */
export function splitList<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

/** Does the same as `mapConcurrently` with the requests that a harvest sends to one host at a time. */
export function mapInPairs<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  return mapConcurrently(items, harvestConcurrency, work)
}

/** The sum of two estimates. */
export function addEstimates(a: HarvestEstimate, b: HarvestEstimate): HarvestEstimate {
  return { requests: a.requests + b.requests, features: a.features + b.features, bytes: a.bytes + b.bytes }
}

/** The newest of some times; null if one of them is not known, because that one can be newer. */
export function newestTime(times_ms: readonly (number | null)[]): Date | null {
  const known_ms = times_ms.filter((it) => it !== null)
  return known_ms.length === 0 || known_ms.length < times_ms.length ? null : new Date(Math.max(...known_ms))
}
