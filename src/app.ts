import { edenGC } from 'bun:jsc'
import { join } from 'node:path'
import { openAskPipeline, type AskPipeline } from './ask/ask.ts'
import { createModels } from './ask/models.ts'
import { openAccess, type Access } from './auth/access.ts'
import type { AccountManager } from './auth/accounts.ts'
import { secureRandomBytes } from './auth/token.ts'
import { backupOptionsOf } from './backup/backup.ts'
import { createScheduledBackups, type ScheduledBackups } from './backup/scheduled-backups.ts'
import { createFetchContexts, type FetchContexts } from './fetch-contexts.ts'
import { sourceHostsOf, type Catalog } from './catalog/catalog.ts'
import type { CatalogContents } from './catalog/records.ts'
import { createOverlayFolder } from './catalog/overlay-folder.ts'
import { packExpectationsOf } from './catalog/pack-expectations.ts'
import { openScheduler } from './scheduler.ts'
import type { Config } from './config.ts'
import { openFieldIndex, type SearchFields } from './fetch/search-fields.ts'
import { createAdmissionQueue, type AdmissionQueue } from './fetch/admission.ts'
import { createWithCache } from './fetch/source-cache.ts'
import { createRegistryBuilder, type TraceSource, type SourceRegistry } from './fetch/source-registry.ts'
import { createCatalogState, type CatalogSnapshot } from './fetch/catalog-state.ts'
import { withRequestId, type AppLog } from './log.ts'
import type { LookupContext } from './lookup/lookup.ts'
import type { Budget } from './model/source.ts'
import { openHttpClient, type HttpClient } from './net/http-client.ts'
import { openAddressPackFolder, type AddressPackFolder } from './packs/addresses/address-pack-folder.ts'
import { openEmbeddedData, type EmbeddedData } from './packs/embedded-data.ts'
import { openPackFolder, type PackFolder } from './packs/pack-folder.ts'
import type { Locate } from './place/locate.ts'
import { geocoderHosts, openPlaces, type Places } from './place/places.ts'
import { createLocationAnswerer } from './runs/location-answerer.ts'
import { withLocationTelemetry } from './runs/location-telemetry.ts'
import { openRuns, type Runs } from './runs/runs.ts'
import { openRasters } from './raster/rasters.ts'
import { isDatabaseReadable, openState } from './store/state-database.ts'
import { lockFolder } from './store/folder-lock.ts'
import { isReadOnlyDatabase } from './store/read-only.ts'
import { ensureReserveFile } from './store/reserve-file.ts'
import { openUpstreamCache } from './store/upstream-cache.ts'
import { createWriteQueue, type WriteQueue } from './store/write-queue.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import type { Workers } from './workers.ts'

export type AppOptions = {
  config: Config
  contents: CatalogContents
  /** The embedded GeoPackage: a file, or its bytes where no file can be written. */
  embedded: string | Uint8Array
  log: AppLog
  version: string
  workers: Workers
  now?: () => Date
  randomBytes?: (size: number) => Uint8Array
}

/** What the doors (HTTP, the command line) are handed. */
export type App = FetchContexts & {
  config: Config
  version: string
  startedAt: Date
  log: AppLog
  /** What the house counts as it goes, and the traces. */
  telemetry: Telemetry
  now: () => Date
  embedded: EmbeddedData
  packs: PackFolder
  addressPacks: AddressPackFolder
  /** The hosts of the catalog and of the geocoders. */
  hosts: ReadonlySet<string>
  /** The way out; null where the network is switched off. */
  net: HttpClient | null
  /** The catalog and its library as they are now; they change as packs and added layers come and go. */
  snapshot(): CatalogSnapshot
  readonly catalog: Catalog
  readonly registry: SourceRegistry
  /** Who is asked for an address, in this order. */
  geocoders: Places['geocoders']
  /** What a text is, before any provider is asked. */
  classify: LookupContext['classify']
  /** Reads what addresses are told by, with breaths between. */
  warmPlaces: Places['warm']
  /** The place of a location that the house itself asks for. */
  locate: Locate
  admission: AdmissionQueue
  accounts: AccountManager
  /** Tokens, people and their sessions, OAuth, and how much was asked for. */
  access: Access
  runs: Runs
  /** The fields that answer to some words. */
  searchFields: SearchFields
  /** Questions in words. */
  ask: AskPipeline
  /** Writes to our own database on behalf of a request: each is one transaction, and waits for its turn. */
  writeQueue: WriteQueue
  /** The data folder cannot be written: what is there is answered, and nothing new is taken in. */
  isReadOnly: boolean
  /** The backups that are made by the clock; null where none are wanted. */
  backups: ScheduledBackups | null
  /** Has ready what decodes rasters, where some can be asked or lie here; without it the first of them waits for that. */
  prepareRasters(): void
  /** Whether our own database answers. */
  storeAnswers(): boolean
  close(): void
}

/**
 * The engine lets garbage grow to almost three times what lives, and the embedded layers count as living: 300 to 400 MB for a service
 * that needs half of it. Collecting the young garbage this often costs nothing that can be measured and holds it below 200 MB.
 */
const answersBetweenCollections = 500
/** A run of many locations has the time to do it more often: what it takes of memory stays below 64 MB. */
const locationsBetweenCollections = 100

/** An answer past its time is of use for so long, when the operator wants it. */
const staleMax_ms = 7 * 86_400_000

/** Whose addresses are those of the house itself. */
const systemAccount = 'system'

/** Files that come and go are noticed after this at the latest. */
const pollInterval_ms = 500

/** Puts the house together, from the ground up. */
export function openApp(options: AppOptions): App {
  const stack = new DisposableStack()
  try {
    return openAppOn(stack, options)
  } catch (error) {
    stack.dispose()
    throw error
  }
}

/** What is opened is closed in the opposite order: whoever uses something goes before it. */
function openAppOn(
  stack: DisposableStack,
  {
    config,
    contents,
    embedded: file,
    log: baseLog,
    version,
    workers,
    now = () => new Date(),
    randomBytes = secureRandomBytes,
  }: AppOptions,
): App {
  const adopt = <T extends { close(): void }>(it: T) => stack.adopt(it, () => it.close())
  stack.defer(lockFolder(config.data))
  const db = adopt(openState(config.data))
  const telemetry = adopt(openTelemetry({ otlp: config.otlp, version, randomBytes }))
  const log = withRequestId(() => telemetry.requests.current()?.request_id, baseLog)
  const scheduler = adopt(openScheduler(log))
  const embedded = adopt(openEmbeddedData(file))
  const upstreamCache = adopt(openUpstreamCache(config.data))
  scheduler.runHourly('upstream_cache', () => upstreamCache.sweep(now().getTime() - staleMax_ms))
  const catalogHosts = new Set<string>(geocoderHosts)
  const net = config.offline
    ? null
    : adopt(
        openHttpClient({
          ...outboundOptions(config),
          userAgent: `Fieldstone/${version} (+${config.base_url})`,
          catalogHosts,
          now,
          random: Math.random,
          log,
          traceUpstreamCall: telemetry.traceUpstreamCall,
        }),
      )
  const rasters = adopt(openRasters({ startWorker: countStarts('raster', workers.raster) }))
  let expected: ReturnType<typeof packExpectationsOf> = () => []
  const packs = adopt(openPackFolder(config.packs, { requirementsOf: (file) => expected(file), rasters, log, now }))
  const driverDeps = {
    embedded,
    net,
    rasters,
    packs,
    now,
    folder: config.data,
    runHourly: scheduler.runHourly,
    overpass: config.overpass,
  }
  const buildRegistry = createRegistryBuilder(
    driverDeps,
    { offline: config.offline, keys: config.keys },
    createWithCache(upstreamCache, config.stale_days, now, telemetry.countCacheResult),
    telemetry.tracing ? createTraceSource(telemetry) : undefined,
  )
  const { snapshot, refresh } = createCatalogState(contents, createOverlayFolder(join(config.data, 'catalog.d')), {
    buildRegistry,
    onCatalogOpened: prepareForCatalog,
    log,
  })
  packs.onChange(() => refresh('packs'))
  const pollTimer = setInterval(() => refresh(), pollInterval_ms).unref()
  stack.defer(() => clearInterval(pollTimer))
  const addressPacks = adopt(openAddressPackFolder(config.packs, { now }))
  const places = adopt(
    openPlaces({
      embedded,
      packs: addressPacks,
      net,
      geocodioKey: config.keys.get('GEOCODIO_API_KEY') ?? null,
      folder: config.data,
      db,
      randomBytes,
      now,
      log,
      onGeocode: telemetry.countGeocode,
    }),
  )
  scheduler.runHourly('places', places.sweep)
  const admission = createAdmissionQueue(config.concurrency, config.queue, everyNth(answersBetweenCollections, edenGC))
  const access = adopt(openAccess({ db, net, config, now, randomBytes, log }))
  scheduler.runHourly('access', access.sweep)
  const requestContexts = createFetchContexts({ snapshot, places, access, admission, telemetry, now, log })
  const answering = createLocationAnswerer({
    lookupContext: (account) => requestContexts.lookupContext(account, '/v1/runs'),
    geocode: requestContexts.geocodeFor('/v1/runs'),
    admission: admission,
    now,
    log,
    onAnswered: everyNth(locationsBetweenCollections, edenGC),
  })
  const runs = adopt(
    openRuns({
      db,
      catalog: () => snapshot().catalog,
      startWorker: countStarts('run', workers.run),
      folder: config.data,
      answerLocation: withLocationTelemetry(answering, telemetry),
      now,
      randomBytes,
      log,
    }),
  )
  scheduler.runHourly('runs', runs.sweep)
  if (!isReadOnlyDatabase(db)) scheduler.runHourly('reserve_file', () => ensureReserveFile(config.data))
  const { searchFields } = adopt(openFieldIndex())
  const ask = adopt(openAskPipeline(askOptions(config, telemetry)))
  const backups =
    config.backups &&
    createScheduledBackups({
      folder: config.backups.folder,
      keep: config.backups.keep,
      backupOptions: { ...backupOptionsOf(config), version, catalog_version: contents.version },
      startWorker: countStarts('backup', workers.backup),
      now,
      log,
    })
  if (config.backups && backups) scheduler.runOnSchedule('backup', config.backups.cron, backups.create)
  return {
    config,
    version,
    startedAt: now(),
    log,
    telemetry,
    now,
    embedded,
    packs,
    addressPacks,
    hosts: catalogHosts,
    net,
    admission,
    accounts: access.accounts,
    access,
    runs,
    searchFields,
    ask,
    snapshot,
    ...requestContexts,
    geocoders: places.geocoders,
    classify: places.classify,
    warmPlaces: places.warm,
    locate: places.locateFor(systemAccount),
    get catalog() {
      return snapshot().catalog
    },
    get registry() {
      return snapshot().registry
    },
    writeQueue: createWriteQueue(db),
    isReadOnly: isReadOnlyDatabase(db),
    backups,
    storeAnswers: () => isDatabaseReadable(db),
    prepareRasters: () => rasters.warmUp({ remote: net !== null }),
    close: () => stack.dispose(),
  }

  function countStarts(name: string, start: () => Worker): () => Worker {
    return () => {
      telemetry.countWorkerStart(name)
      return start()
    }
  }

  /** What a catalog that is new asks of the way out and of the packs folder. */
  function prepareForCatalog(catalog: Catalog): void {
    for (const host of sourceHostsOf(catalog.datasets.values())) catalogHosts.add(host)
    expected = packExpectationsOf(catalog)
    packs.recheck()
  }
}

/** Hosts that the operator names are the operator's own: they may be private. */
function outboundOptions({ mirror, overpass }: Config) {
  return { mirror, operatorHosts: new Set(overpass === null ? [] : [new URL(overpass).host]) }
}

/** Each question to a source is a part of the trace that it is asked in. */
function createTraceSource(telemetry: Telemetry): TraceSource {
  return (source, dataset, driver) => (query: never, budget: Budget) =>
    telemetry.span(
      `dataset ${dataset}`,
      'internal',
      { 'fieldstone.dataset': dataset, 'fieldstone.driver': driver },
      () => source(query, budget),
    )
}

/** The models, where a key is set and the network is there; a deployment may forbid answering without them. */
function askOptions({ models, keys, offline, ask_builtin: isBuiltInAllowed }: Config, { countModelTokens }: Telemetry) {
  const key = keys.get('ANTHROPIC_API_KEY')
  const unavailableReason = offline ? 'offline_no_data' : 'key_missing'
  return {
    models: key === undefined || offline ? null : createModels({ ...models, key }, countModelTokens),
    unavailableReason,
    isBuiltInAllowed,
  }
}

function everyNth(n: number, work: () => void): () => void {
  let count = 0
  return () => {
    if (++count % n === 0) work()
  }
}
