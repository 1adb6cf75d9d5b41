import type { Catalog } from '../../catalog/catalog.ts'
import { placesFlags } from '../../catalog/missing-data.ts'
import type { Dataset } from '../../catalog/records.ts'
import { drivers, type DriverName, type DriverConfig } from '../../drivers/drivers.ts'
import type { DatasetInfo, Driver, DriverDeps, OpenedSource, RemoteOptions } from '../../drivers/driver.ts'
import type { UpstreamError } from '../../model/error.ts'
import type { Place, Point } from '../../model/place.ts'
import type { AnySource, Budget } from '../../model/source.ts'
import { withDeadline } from '../../async/deadline.ts'
import { withAttributeLimits } from './attribute-limits.ts'
import { createQueryHistory, type QueryHistory } from './coalesce-radii.ts'
import { remoteAreaSource, withCellDeadline } from './remote-area.ts'
import { SchemaChanges } from './schema-changes.ts'
import { cacheTtl_s, type WithCache } from './source-cache.ts'
import { createUnavailableErrors, type SourceConfig } from './unavailable.ts'
import type { TSchema } from '@sinclair/typebox'

/** A provider option of a dataset that is available on this server. */
export type SourceOption = Omit<OpenedSource, 'covers' | 'remote' | 'listInArea'> & {
  driver: DriverName
  covers: (place: Place) => boolean
  /** Null for local data. */
  remote: RemoteOptions | null
  /** Null for sources whose answers are not cached here. */
  queryHistory: QueryHistory | null
  schemaChanges: SchemaChanges
}

/** A dataset with its available options, in order of preference. */
export type DatasetHandle = {
  id: string
  dataset: Dataset
  options: SourceOption[]
  /** Whether every option of the catalog is available, and none of them has the data of some areas only. */
  hasAllOptions: boolean
  /** Returns the error of a field when no option can answer. */
  unavailableError: (at?: Point) => UpstreamError
}

/** Names that fields read, but that were missing from the data of a dataset in the last 24 hours. */
export function missingNamesOf({ options }: DatasetHandle): string[] {
  return [...new Set(options.flatMap(({ schemaChanges }) => schemaChanges.missing()))]
}

/** The first local source of a dataset that lists its features, unless the terms of the dataset do not allow it. */
export function listedOptionOf({ dataset, options }: DatasetHandle): SourceOption | undefined {
  return dataset.withholds_geometry ? undefined : options.find(({ boxes }) => boxes !== undefined)
}

/** Whether an available option of a dataset bills each call. */
export function hasBilledSource({ options }: DatasetHandle): boolean {
  return options.some(({ remote }) => remote?.metered === true)
}

/** The datasets of the catalog with their available options. */
export type SourceRegistry = { dataset(id: string): DatasetHandle; datasets(): Iterable<DatasetHandle> }

/** Wraps a source so that its queries are traced. */
export type TraceSource = (source: AnySource, dataset: string, driver: DriverName) => AnySource

/**
 * Creates a function that builds the registry of a catalog. Sources on other servers are wrapped with `withCache`. A
 * rebuild opens only new options and packs, because packs are added and removed at run time.
 */
export function createRegistryBuilder(
  deps: DriverDeps,
  sourceConfig: SourceConfig,
  withCache: WithCache,
  traceSource: TraceSource = (source) => source,
): (catalog: Catalog) => SourceRegistry {
  const opener = new OptionOpener({ deps, keys: sourceConfig.keys, withCache, traceSource })
  const flagAt = (at: Point) => areaFlagAt(at, deps.embedded)
  return ({ datasets }) => {
    const handles = new Map([...datasets].map(([id, dataset]) => [id, handleOf(id, dataset)]))
    return { dataset: (id) => handles.get(id)!, datasets: () => handles.values() }
  }

  function handleOf(id: string, dataset: Dataset): DatasetHandle {
    const options = dataset.serve.flatMap((serving) => opener.optionsOf(serving, id, dataset))
    return {
      id,
      dataset,
      options,
      hasAllOptions: options.length === dataset.serve.length && !options.some(({ isOfAreas }) => isOfAreas),
      unavailableError: createUnavailableErrors(id, dataset, sourceConfig, { packs: deps.packs, areaFlagAt: flagAt }),
    }
  }
}

type OpenerDeps = { deps: DriverDeps; keys: SourceConfig['keys']; withCache: WithCache; traceSource: TraceSource }

/** Opens each provider option of the catalog once, except packs. */
class OptionOpener {
  readonly #deps: OpenerDeps
  readonly #optionsByServing = new WeakMap<DriverConfig, SourceOption[]>()

  constructor(deps: OpenerDeps) {
    this.#deps = deps
  }

  /** Returns the option, or nothing when it is not available. */
  optionsOf(serving: DriverConfig, id: string, dataset: Dataset): SourceOption[] {
    const known = this.#optionsByServing.get(serving)
    if (known) return known
    const openedSource = this.#openSource(serving, id, dataset)
    const options = openedSource ? [this.#optionOf(openedSource, serving, id, dataset)] : []
    if (serving.driver !== 'pack') this.#optionsByServing.set(serving, options)
    return options
  }

  #openSource({ driver, ...driverConfig }: DriverConfig, id: string, dataset: Dataset): OpenedSource | null {
    const { shape, attributes, needs_key, ttl_seconds } = dataset
    const key = needs_key?.env ? (this.#deps.keys.get(needs_key.env) ?? null) : null
    const email = needs_key?.email ? (this.#deps.keys.get(needs_key.email) ?? null) : null
    const info: DatasetInfo = { id, key, email, ttl_seconds, ...(attributes && { attributes }) }
    try {
      return (drivers[driver] as Driver<TSchema>).open(driverConfig, shape, this.#deps.deps, info)
    } catch (cause) {
      throw new Error(`dataset ${id} cannot be served by ${driver}: ${(cause as Error).message}`, { cause })
    }
  }

  #optionOf(openedSource: OpenedSource, serving: DriverConfig, id: string, dataset: Dataset): SourceOption {
    const { listInArea, covers = everywhere, remote = null, ...opened } = openedSource
    const { driver, ...driverConfig } = serving
    const name = `${id} ${driver} ${hashOf(driverConfig)}`
    const cached = this.#cacheRemote(openedSource, name, dataset)
    const source = this.#deps.traceSource(withBillingName(dataset.service, cached, remote), id, driver)
    const area = listInArea
      ? remoteAreaSource(this.#cacheRemote({ source: listInArea, remote }, `${name} area`, dataset, 'fresh'))
      : opened.area
    const hasHistory = remote && !remote.cachesItself && dataset.shape === 'features'
    const queryHistory = hasHistory
      ? createQueryHistory(1000 * cacheTtl_s(dataset.ttl_seconds), this.#deps.deps.now)
      : null
    const schemaChanges = new SchemaChanges(this.#deps.deps.now)
    const { rasterPieces } = opened
    return {
      ...opened,
      driver,
      covers,
      remote,
      source,
      queryHistory,
      schemaChanges,
      ...(area && { area }),
      ...(rasterPieces && remote && { rasterPieces: withCellDeadline(rasterPieces, queryLimit_ms(dataset)) }),
    }
  }

  #cacheRemote(
    { source, remote = null }: { source: AnySource; remote?: RemoteOptions | null },
    name: string,
    dataset: Dataset,
    age: 'fresh' | 'stale' = remote?.metered ? 'fresh' : 'stale',
  ): AnySource {
    if (!remote) return source
    const checked = withAttributeLimits(source, dataset)
    const budget_ms = queryLimit_ms(dataset)
    const { ttl_seconds } = dataset
    return remote.cachesItself
      ? withDeadline(checked, budget_ms)
      : this.#deps.withCache(checked, {
          name,
          budget_ms,
          ttl_seconds,
          allowStale: age === 'stale',
          isBilled: remote.metered === true,
        })
  }
}

/** The time limit of a query to a service. */
function queryLimit_ms({ budget_ms }: Dataset): number {
  return Math.min(budget_ms, maxQuery_ms)
}

/** Records billed calls under the service name of the dataset instead of the host name. */
function withBillingName(service: string, source: AnySource, remote: RemoteOptions | null): AnySource {
  if (!remote?.metered) return source
  return (query: never, budget: Budget) =>
    source(query, { ...budget, ...(budget.onBilledCall && { onBilledCall: () => budget.onBilledCall!(service) }) })
}

/** The flags of `pack fetch` for the area of a point. */
function areaFlagAt(at: Point, { manifest, layer }: DriverDeps['embedded']): string {
  const county = manifest.has('counties') ? layer('counties').query({ at, radius_m: 0, limit: 1 })[0] : undefined
  return placesFlags(at, { county: county?.properties.NAMELSAD, state: county?.properties.STUSPS })
}

function hashOf(driverConfig: object): string {
  return Bun.hash(JSON.stringify(driverConfig)).toString(36)
}

/** Time limit of one query: the largest limit of a field. */
const maxQuery_ms = 60_000
const everywhere = () => true
