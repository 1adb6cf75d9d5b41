import { join } from 'node:path'
import { openAppPacks, type AppPacks } from './app-packs.ts'
import { sourceHostsOf, type Catalog } from './catalog/catalog.ts'
import type { AreaPresets, CountyCoverage } from './catalog/meta-documents.ts'
import { createOverlayFolder } from './catalog/overlay-folder.ts'
import { packExpectationsOf } from './catalog/pack-expectations.ts'
import type { CatalogContents } from './catalog/records.ts'
import { operatorHostsOf, type Config } from './config.ts'
import { createDownloadParser } from './drivers/table/parse-download.ts'
import { presetsByArea } from './fetch/catalog/area-presets.ts'
import { computeCountyCoverage } from './pack-plans/county-coverage.ts'
import { computeOnce } from './async/compute-once.ts'
import { createYieldToEventLoop } from './async/incremental-task.ts'
import { createCatalogState, type CatalogSnapshot } from './fetch/catalog/catalog-state.ts'
import { createWithCache } from './fetch/sources/source-cache.ts'
import { createRegistryBuilder, type TraceSource } from './fetch/sources/source-registry.ts'
import type { Log } from './log.ts'
import type { Budget } from './model/source.ts'
import { slotsOfProcess } from './net/bulkhead.ts'
import { openHttpClient, type HttpClient } from './net/http-client.ts'
import { userAgentOf } from './net/call.ts'
import { openEmbeddedData, type EmbeddedData } from './packs/embedded/embedded-data.ts'
import type { EmbeddedFile } from './packs/embedded/embedded-file.ts'
import { type CheckPack, PackChecker } from './packs/check/pack-checker.ts'
import type { PackFolder } from './packs/pack-folder.ts'
import { geocoderHosts } from './place/places.ts'
import { openRasters, type Rasters } from './raster/rasters.ts'
import { openScheduler, type Scheduler } from './scheduler.ts'
import type { CopySchedule } from './storage/pack-copies.ts'
import type { ServerProcess } from './server-process.ts'
import type { CallOnce } from './store/billed-calls.ts'
import { openUpstreamCache } from './store/sqlite/upstream-cache.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { Basemap } from './tiles/basemap.ts'

/** What every part of the app uses. */
export type AppCore = {
  config: Config
  version: string
  now: () => Date
  log: Log
  telemetry: Telemetry
  scheduler: Scheduler
  /** The connection of one of several processes; null if this server has one process. */
  serverProcess: ServerProcess | null
  /** Whether other processes use the same state. */
  isShared: boolean
  /** Shares the answers of billed calls with these processes; null if there are none. */
  callOnce: CallOnce | null
  /** Registers a part that is closed with the app, in reverse order, and returns it. */
  adopt: <T extends { close(): void }>(part: T) => T
}

/** The data that fields are answered from. */
export type AppSources = {
  embedded: EmbeddedData
  packs: PackFolder
  packStorage: AppPacks['packStorage']
  /** The base map of the packs folder, for the dashboard. */
  basemap: Basemap
  rasters: Rasters
  /** The hosts of the catalog and of the geocoders. */
  hosts: ReadonlySet<string>
  /** The outbound HTTP client; null when the service is offline. */
  net: HttpClient | null
  /** Checks a pack before its first use. */
  checkPack: CheckPack
  /** Returns the current catalog and registry. They change with packs and overlays. */
  snapshot(): CatalogSnapshot
  /** Returns the areas of the installed packs, with the presets that local data answers completely there. */
  presetsByArea(): AreaPresets[]
  /** What local data answers in each county, computed once for each set of packs. */
  countyCoverage(): Promise<CountyCoverage[]>
}

/** An expired answer may replace the answer of a failing source for this time, if the operator allows it. */
const staleMax_ms = 7 * 86_400_000

/** Changes of overlay files are noticed within this time. */
const pollInterval_ms = 500

/** How packs are copied from storage. */
export type PackCopyOptions = {
  /** When they are copied (default: each minute, or once if there is no app). */
  copySchedule?: CopySchedule
}

type Options = PackCopyOptions & {
  /** Checks a pack before its first use (default: in a worker thread). */
  checkPack?: CheckPack
  contents: CatalogContents
  embeddedFile: EmbeddedFile
  startRasterWorker: () => Worker
  startDownloadWorker: () => Worker
  startPackCheckWorker: () => Worker
  /** Whether requests wait for admission (default: never). */
  hasWaitingRequests?: () => boolean
}

/** Opens the embedded data, the packs, the HTTP client and the catalog. The app closes them. */
export function openAppSources(
  core: AppCore,
  { contents, embeddedFile, startRasterWorker, startDownloadWorker, startPackCheckWorker, ...options }: Options,
): AppSources {
  const { config, now, log, telemetry, scheduler, adopt } = core
  const embedded = openEmbeddedData(embeddedFile)
  const upstreamCache = adopt(openUpstreamCache(config.data))
  scheduler.addRetention('upstream_cache', () => upstreamCache.sweep(now().getTime() - staleMax_ms))
  const hosts = new Set<string>(geocoderHosts)
  const net = config.offline ? null : openOutboundClient(core, hosts, options.hasWaitingRequests ?? (() => false))
  const rasters = adopt(openRasters({ startWorker: startRasterWorker }))
  const checkPack =
    options.checkPack ?? adopt(new PackChecker({ startWorker: startPackCheckWorker, dataFolder: config.data })).check
  let expectationsOf: ReturnType<typeof packExpectationsOf> = () => []
  const { packs, packStorage } = openAppPacks({
    ...core,
    requirementsOf: (file) => expectationsOf(file),
    rasters,
    copySchedule: options.copySchedule ?? 'each_minute',
    check: checkPack,
    traceUpstreamCall: telemetry.traceUpstreamCall,
  })
  const buildRegistry = createRegistryBuilder(
    {
      embedded,
      net,
      rasters,
      packs,
      parse: adopt(createDownloadParser(startDownloadWorker)).parse,
      now,
      folder: config.data,
      runHourly: scheduler.runHourly,
      overpass: config.overpass,
    },
    { offline: config.offline, keys: config.keys },
    createWithCache(upstreamCache, {
      stale_days: config.stale_days,
      now,
      onCacheResult: telemetry.countCacheResult,
      callOnce: core.callOnce,
    }),
    telemetry.tracing ? createTraceSource(telemetry) : undefined,
  )
  const { snapshot, refresh } = createCatalogState(contents, createOverlayFolder(join(config.data, 'catalog.d')), {
    buildRegistry,
    onCatalogOpened: prepareForCatalog,
    log,
    fieldsMax: config.fetch_fields_max,
  })
  packs.onChange(() => refresh('packs'))
  const pollTimer = setInterval(() => refresh(), pollInterval_ms).unref()
  adopt({ close: () => clearInterval(pollTimer) })
  const coverage = createLocalCoverage(snapshot, { packs, embedded })
  const basemap = adopt(new Basemap(config.packs))
  return { embedded, packs, packStorage, basemap, rasters, hosts, net, checkPack, snapshot, ...coverage }

  /** Applies a new catalog to the allowed hosts and to the pack folder. */
  function prepareForCatalog(catalog: Catalog): void {
    for (const host of sourceHostsOf(catalog.datasets.values())) hosts.add(host)
    expectationsOf = packExpectationsOf(catalog)
    packs.recheck()
  }
}

/** Computing the coverage of all counties must not delay requests. */
const coverageSlice_ms = 5

/** What local data answers, by area and by county. Both are computed when they are needed. */
function createLocalCoverage(
  snapshot: () => CatalogSnapshot,
  { packs, embedded }: Pick<AppSources, 'packs' | 'embedded'>,
): Pick<AppSources, 'presetsByArea' | 'countyCoverage'> {
  return {
    presetsByArea: computeOnce(snapshot, ({ catalog }) => presetsByArea(catalog, packs.installed())),
    countyCoverage: computeOnce(snapshot, ({ catalog }) =>
      computeCountyCoverage(
        { catalog, installed: packs.installed(), embedded },
        createYieldToEventLoop(coverageSlice_ms),
      ),
    ),
  }
}

/** What the data is opened with when there is no app. */
type StandaloneOptions = PackCopyOptions & {
  config: Config
  contents: CatalogContents
  embedded: EmbeddedFile
  version: string
  now: () => Date
  log: Log
  checkPack?: CheckPack
  /** Without workers, no raster can be read and no table can be downloaded. */
  workers?: { raster: () => Worker; download: () => Worker; packCheck: () => Worker }
}

/** Opens the data without the accounts, the runs and the lock of an app. */
export function openStandaloneSources(options: StandaloneOptions): AppSources & { close(): void } {
  const { config, contents, embedded, version, now, log, checkPack, copySchedule = 'once', workers } = options
  const stack = new DisposableStack()
  const adopt: AppCore['adopt'] = (part) => stack.adopt(part, () => part.close())
  const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))
  const telemetry = adopt(openTelemetry({ otlp: null, version, randomBytes }))
  const scheduler = adopt(openScheduler(log, { now }))
  const noWorker = () => {
    throw new Error('No worker can be started here.')
  }
  const sources = openAppSources(
    { config, version, now, log, telemetry, scheduler, serverProcess: null, isShared: false, callOnce: null, adopt },
    {
      contents,
      embeddedFile: embedded,
      startRasterWorker: workers?.raster ?? noWorker,
      startDownloadWorker: workers?.download ?? noWorker,
      startPackCheckWorker: workers?.packCheck ?? noWorker,
      copySchedule,
      ...(checkPack && { checkPack }),
    },
  )
  return { ...sources, close: () => stack.dispose() }
}

/** Opens the client. */
function openOutboundClient(
  { config, version, now, log, telemetry, serverProcess, adopt }: AppCore,
  catalogHosts: ReadonlySet<string>,
  hasWaitingRequests: () => boolean,
): HttpClient {
  return adopt(
    openHttpClient({
      mirror: config.mirror,
      operatorHosts: operatorHostsOf(config),
      userAgent: userAgentOf({ version, ...config }),
      contact: config.contact,
      catalogHosts,
      hasWaitingRequests,
      slotsPerHost: serverProcess ? slotsOfProcess(serverProcess) : undefined,
      now,
      random: Math.random,
      log,
      traceUpstreamCall: telemetry.traceUpstreamCall,
    }),
  )
}

/**
 * Opens the client that reads the documents of OAuth clients; null if the server reads none. Strangers choose the URL,
 * so it knows no mirror and no host of the operator: it connects to public addresses only, over https.
 */
export function openDocumentClient({ config, version, now, log, telemetry, adopt }: AppCore): HttpClient | null {
  if (config.offline || !config.client_documents) return null
  return adopt(
    openHttpClient({
      mirror: null,
      userAgent: userAgentOf({ version, base_url: config.base_url, contact: null }),
      catalogHosts: new Set(),
      now,
      random: Math.random,
      log,
      traceUpstreamCall: telemetry.traceUpstreamCall,
    }),
  )
}

/**
 * Returns a wrapper that runs each query to a source as a span of the current trace; without a collector, the source.
 */
function createTraceSource(telemetry: Telemetry): TraceSource {
  if (!telemetry.tracing) return (source) => source
  return (source, dataset, driver) => (query: never, budget: Budget) =>
    telemetry.span(
      `dataset ${dataset}`,
      'internal',
      { 'fieldstone.dataset': dataset, 'fieldstone.driver': driver },
      async () => source(query, budget),
    )
}
