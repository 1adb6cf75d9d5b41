import type { Catalog } from '../catalog/catalog.ts'
import type { Dataset } from '../catalog/records.ts'
import { drivers, type DriverName, type DriverConfig } from '../drivers/drivers.ts'
import type { DatasetInfo, Driver, OpenedSource, RemoteOptions, DriverDeps } from '../drivers/driver.ts'
import type { UpstreamError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import type { AnySource, Budget, Shape } from '../model/source.ts'
import { withDeadline } from '../async/deadline.ts'
import { createQueryHistory, type QueryHistory } from './query-history.ts'
import { cacheTtl_s, type WithCache } from './source-cache.ts'
import { unavailableError, type SourceConfig } from './unavailable.ts'
import type { TSchema } from '@sinclair/typebox'

/** One way in which a dataset can be asked on this server; `remote` is null for one that is local; `before`: what it was asked, where answers are kept. */
export type SourceOption = {
  driver: DriverName
  source: AnySource
  vintage: string | null
  covers: (place: Place) => boolean
  remote: RemoteOptions | null
  queryHistory: QueryHistory | null
}

/** A dataset as this server has it: its ways in order, and what to say when none of them can answer. */
export type DatasetHandle = {
  id: string
  dataset: Dataset
  options: SourceOption[]
  hasAllOptions: boolean
  unavailableError: () => UpstreamError
}

/** The datasets of the catalog, each with the ways that are at hand here. */
export type SourceRegistry = { dataset(dataset: string): DatasetHandle; datasets(): Iterable<DatasetHandle> }

/** What is put round every source, to follow the questions it is asked. */
export type TraceSource = (source: AnySource, dataset: string, driver: DriverName) => AnySource

/**
 * Shelves the datasets of a catalog. `keep`: what is put round a source on another server, so that it is asked seldom and not for ever.
 * Shelving again opens only what is new and what is local: packs come and go.
 */
export function createRegistryBuilder(
  deps: DriverDeps,
  sourceConfig: SourceConfig,
  withCache: WithCache,
  traceSource: TraceSource = (source) => source,
): (catalog: Catalog) => SourceRegistry {
  const optionsByServing = new WeakMap<DriverConfig, SourceOption[]>()
  return ({ datasets }) => {
    const handles = new Map([...datasets].map(([id, dataset]) => [id, handleOf(id, dataset)]))
    return { dataset: (dataset) => handles.get(dataset)!, datasets: () => handles.values() }
  }

  function handleOf(id: string, dataset: Dataset): DatasetHandle {
    const options = dataset.serve.flatMap(
      (serving) => optionsByServing.get(serving) ?? openOptions(serving, id, dataset),
    )
    return {
      id,
      dataset,
      options,
      hasAllOptions: options.length === dataset.serve.length,
      unavailableError: () => unavailableError(id, dataset, sourceConfig, deps.packs),
    }
  }

  function openOptions(serving: DriverConfig, id: string, dataset: Dataset): SourceOption[] {
    const { driver, ...driverConfig } = serving
    const { shape, attributes, needs_key, ttl_seconds } = dataset
    const key = needs_key?.env ? (sourceConfig.keys.get(needs_key.env) ?? null) : null
    const openedSource = openSource(driver, driverConfig, shape, {
      id,
      key,
      ttl_seconds,
      ...(attributes && { attributes }),
    })
    const options = openedSource
      ? [
          {
            driver,
            vintage: openedSource.vintage,
            covers: openedSource.covers ?? everywhere,
            remote: openedSource.remote ?? null,
            source: wrapSource(openedSource, driver, driverConfig, id, dataset),
            queryHistory: createHistory(openedSource, dataset),
          },
        ]
      : []
    if (driver !== 'pack') optionsByServing.set(serving, options)
    return options
  }

  function wrapSource(
    openedSource: OpenedSource,
    driver: DriverName,
    driverConfig: object,
    id: string,
    { service, budget_ms, ttl_seconds }: Dataset,
  ): AnySource {
    return traceSource(
      withBillingName(
        service,
        cacheRemote(openedSource, `${id} ${driver} ${hashOf(driverConfig)}`, budget_ms, ttl_seconds),
        openedSource.remote,
      ),
      id,
      driver,
    )
  }

  function createHistory({ remote }: OpenedSource, { shape, ttl_seconds }: Dataset): QueryHistory | null {
    return remote && !remote.cachesItself && shape === 'features'
      ? createQueryHistory(1000 * cacheTtl_s(ttl_seconds), deps.now)
      : null
  }

  /** What a driver cannot make sense of is told by the name of the dataset. */
  function openSource(driver: DriverName, driverConfig: object, shape: Shape, info: DatasetInfo): OpenedSource | null {
    try {
      return (drivers[driver] as Driver<TSchema>).open(driverConfig, shape, deps, info)
    } catch (cause) {
      throw new Error(`dataset ${info.id} cannot be served by ${driver}: ${(cause as Error).message}`, { cause })
    }
  }

  function cacheRemote(
    { source, remote }: OpenedSource,
    name: string,
    budget_ms: number,
    ttl_seconds: number,
  ): AnySource {
    if (!remote) return source
    const limit_ms = Math.min(budget_ms, maxQuery_ms)
    return remote.cachesItself
      ? withDeadline(source, limit_ms)
      : withCache(source, { name, budget_ms: limit_ms, ttl_seconds, allowStale: !remote.metered })
  }
}

/** What is billed is told by the name under which it is shown, and not by its host. */
function withBillingName(service: string, source: AnySource, remote: RemoteOptions | undefined): AnySource {
  if (!remote?.metered) return source
  return (query: never, budget: Budget) =>
    source(query, { ...budget, ...(budget.onBilledCall && { onBilledCall: () => budget.onBilledCall!(service) }) })
}

function hashOf(settings: object): string {
  return Bun.hash(JSON.stringify(settings)).toString(36)
}

/** What the longest of the budgets of a field leaves for one question. */
const maxQuery_ms = 60_000
const everywhere = () => true
