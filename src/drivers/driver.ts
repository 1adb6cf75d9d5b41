import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { Place } from '../model/place.ts'
import type { AnySource, Shape } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import type { PackFolder } from '../packs/pack-folder.ts'
import type { Rasters } from '../raster/rasters.ts'

/** What drivers are made with. `net` is null where the network is switched off. */
export type DriverDeps = {
  embedded: EmbeddedData
  /** The folder of local files; null where there is none. */
  packs: PackFolder | null
  net: HttpClient | null
  rasters: Rasters
  /** The data folder, where drivers keep what they download. */
  folder: string
  /** Work that is done once an hour. */
  runHourly: (name: string, work: () => void | Promise<void>) => void
  /** The Overpass instance that may be asked, when the operator names one. */
  overpass: string | null
  now: () => Date
}

/** What a driver is told of the dataset it opens. */
export type DatasetInfo = {
  id: string
  /** Attributes (features) or columns (documents) to ask for, so that fields share one request; without them, all. */
  attributes?: string[]
  /** The value of the API key of the dataset, where it has one and it is set. Never to be logged, nor put into an error. */
  key: string | null
  ttl_seconds: number
}

/** How a source is reached when it is not local; `keepsItself`: it keeps what it downloads, so its answers need no cache; `simplified`: its outlines are not exact. */
export type RemoteOptions = { host: string; metered?: true; cachesItself?: true; simplified?: true }

/** A source that is at hand, the edition of its data (`null` when the data does not say), where it can answer, and how it is reached. */
export type OpenedSource = {
  source: AnySource
  vintage: string | null
  covers?: (place: Place) => boolean
  remote?: RemoteOptions
}

/** A protocol: the shapes of data it can give, how it is addressed (`config`), and how it is opened (`null`: its data is not here). */
export type Driver<C extends TSchema> = {
  shapes: readonly Shape[]
  config: C
  open(config: Static<C>, shape: Shape, deps: DriverDeps, dataset: DatasetInfo): OpenedSource | null
}

/** Writes a driver down: its file holds nothing else but its helpers. */
export function defineDriver<C extends TSchema>(definition: Driver<C>) {
  return definition
}

export { Type as t }
