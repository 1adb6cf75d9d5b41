/**
 * A driver turns a protocol or a file into a source of features, rasters or documents. Each protocol has its folder,
 * and `drivers.ts` lists them. Drivers do not know fields or operators.
 */
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { AreaQuery, AreaSource, RasterPiece, CellQuery, KeyedFeature } from '../model/area.ts'
import type { Place, Point } from '../model/place.ts'
import type { AnySource, Budget, FeatureQuery, Shape } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { BoxSource } from '../packs/layer/features-in-box.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { RowSearch } from '../packs/embedded/memory-layer.ts'
import type { PackFolder } from '../packs/pack-folder.ts'
import type { Rasters } from '../raster/rasters.ts'
import type { HarvestDeps, HarvestedDataset, Harvester } from './harvest.ts'
import type { ParseDownload } from './table/parse-download.ts'

/** What drivers depend on. `net` is null when the network is switched off. */
export type DriverDeps = {
  embedded: EmbeddedData
  /** The local files; null if there are none. */
  packs: Pick<PackFolder, 'dataset' | 'statesOf' | 'statesVersion'> | null
  net: HttpClient | null
  rasters: Rasters
  /** Parses a downloaded file, in a worker. */
  parse: ParseDownload
  /** The data folder, in which drivers store downloads. */
  folder: string
  /** Registers work that runs once an hour. */
  runHourly: (name: string, work: () => void | Promise<void>) => void
  /** The URL of the Overpass instance, if the operator set one. */
  overpass: string | null
  now: () => Date
}

/** The dataset that a driver opens. */
export type DatasetInfo = {
  id: string
  /** Attributes (features) or columns (documents) to request, so that fields share one request; all if undefined. */
  attributes?: string[]
  /** The API key, if the dataset needs one and it is set. Never log it or put it into an error. */
  key: string | null
  /** The mail address that the publisher asks for with the key, if it is set. Never log it. */
  email?: string | null
  ttl_seconds: number
}

/**
 * How a remote source is reached. `cachesItself`: it stores its downloads, so responses need no cache; `simplified`:
 * its outlines are not exact.
 */
export type RemoteOptions = { host: string; metered?: true; cachesItself?: true; simplified?: true }

/**
 * Features in memory. `rowSearch` finds the feature of a query by its row. `areCoverage`: the source covers exactly the
 * points that are in a feature.
 */
export type MemoryFeatures = { rowSearch(query: Omit<FeatureQuery, 'at'>): RowSearch; areCoverage: boolean }

/**
 * Features of files, which are read without waiting. `containingRows` returns numbers that stand for the features that
 * contain a point: where they are the same, the answers of queries without a radius are equal, and so is the vintage.
 * null if a geometry in reach is invalid.
 */
export type FileFeatures = {
  covers(at: Point): boolean
  containingRows(at: Point, level: number | undefined): readonly number[] | null
}

/**
 * An open source, the edition of its data (null if unknown), where it can answer (everywhere if undefined), and its
 * remote options. `inMemory`: its features are in memory, where equal features are often the same object. `inFiles`:
 * its features are in files. `vintageAt`: the edition at a place, if it differs between places. `missingOf`: which of
 * the attributes its data is known not to have, after an answer without features as well. `boxes`: the local layers
 * that list their features by box. `editedOn`: the day on which the publisher last changed the data, as far as it is
 * known by now. `area`: the same features with their exact geometry, cut at an area. `listInArea`: the complete
 * features of a service that touch an area. `rasterPieces`: the pieces of a raster near an area; none if it has no cells
 * there. `isOfAreas`: whether it was made for areas, so that there is more data outside of them.
 */
export type OpenedSource = {
  source: AnySource
  inMemory?: MemoryFeatures
  inFiles?: FileFeatures
  vintage: string | null
  vintageAt?: (place: Place) => string | null
  editedOn?: () => string | null
  missingOf?: (names: readonly string[]) => string[]
  covers?: (place: Place) => boolean
  isOfAreas?: boolean
  remote?: RemoteOptions
  boxes?: () => readonly BoxSource[]
  area?: AreaSource
  listInArea?: (query: AreaQuery, budget: Budget) => Promise<KeyedFeature[]>
  rasterPieces?: (query: CellQuery, budget: Budget) => RasterPiece[] | Promise<RasterPiece[]>
}

/**
 * A protocol: the data shapes it supports, its settings (`config`), and how to open it (null if its data is not
 * available). `harvest` copies the data of an area for a local pack, if the protocol allows it, and `canHarvest` says
 * for which settings it can.
 */
export type Driver<C extends TSchema> = {
  shapes: readonly Shape[]
  config: C
  open(config: Static<C>, shape: Shape, deps: DriverDeps, dataset: DatasetInfo): OpenedSource | null
  canHarvest?(config: Static<C>): boolean
  harvest?(config: Static<C>, deps: HarvestDeps, dataset: HarvestedDataset): Harvester | null
}

/** Defines a driver and infers its type. A driver's file contains only the driver and its helpers. */
export function defineDriver<C extends TSchema>(definition: Driver<C>) {
  return definition
}

export { Type as t }
