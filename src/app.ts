import { openBackgroundWork, type BackgroundWork } from './app-background.ts'
import { openLocationServices, placeServicesOf, type WorkLimits } from './app-location.ts'
import { openAppRuns } from './app-runs.ts'
import {
  openAppSources,
  openDocumentClient,
  type AppCore,
  type AppSources,
  type PackCopyOptions,
} from './app-sources.ts'
import { createGarbageCollector } from './async/collect-garbage.ts'
import { openAskPipeline, type AskPipeline } from './ask/ask.ts'
import { createModels } from './ask/planner/models.ts'
import type { Access } from './auth/access.ts'
import type { AccountManager } from './auth/accounts.ts'
import { secureRandomBytes } from './auth/token.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { CatalogContents } from './catalog/records.ts'
import type { Config } from './config.ts'
import type { FetchContexts } from './fetch-contexts.ts'
import { AdmissionQueue } from './fetch/admission.ts'
import type { FetchContext } from './fetch/fetch.ts'
import { openFieldIndex, type SearchFields } from './fetch/catalog/search-fields.ts'
import type { FetchPlans } from './fetch/fetch-plan.ts'
import type { SourceRegistry } from './fetch/sources/source-registry.ts'
import { withRequestId, type AppLog } from './log.ts'
import { createNodes, type Nodes } from './nodes.ts'
import { isFirstProcess, type ServerProcess } from './server-process.ts'
import type { AddressPackFolder } from './packs/addresses/address-pack-folder.ts'
import type { EmbeddedFile } from './packs/embedded/embedded-file.ts'
import type { Locate } from './place/locate.ts'
import type { Places } from './place/places.ts'
import type { Runs } from './runs/runs.ts'
import type { StartCommand } from './pack-plans/pack-fetches.ts'
import { openScheduler } from './scheduler.ts'
import { openFolderState, type AppState } from './app-state.ts'
import { joinFolderLock, lockFolder } from './store/sqlite/folder-lock.ts'
import type { HttpClient } from './net/http-client.ts'
import { createCallOnce } from './store/billed-calls.ts'
import type { DatabaseLocation } from './store/postgres/database-location.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { findStuckWork, type StuckWork } from './stuck-work.ts'
import { createRestartCounter, type Workers } from './workers.ts'

/** What the app is opened with. `now` and the members after it are replaced in tests. */
export type AppOptions = PackCopyOptions & {
  config: Config
  contents: CatalogContents
  embedded: EmbeddedFile
  log: AppLog
  version: string
  workers: Workers
  /** The connected state, if it is in a PostgreSQL database. Without it, the state is in the data folder. */
  state?: AppState
  /** The connection of one of several processes; null if this server has one process. */
  serverProcess?: ServerProcess | null
  /** Starts a command of this executable. Without it, no packs are fetched in the background. */
  startCommand?: StartCommand
  now?: () => Date
  randomBytes?: (size: number) => Uint8Array
  /** Reads the documents of OAuth clients. */
  documentClient?: HttpClient
  limits_ms?: WorkLimits
}

/** Everything that the interfaces (HTTP, MCP, command line) use. */
export type App = FetchContexts &
  BackgroundWork &
  Omit<AppSources, 'rasters'> & {
    config: Config
    version: string
    startedAt: Date
    log: AppLog
    telemetry: Telemetry
    now: () => Date
    addressPacks: AddressPackFolder
    readonly catalog: Catalog
    readonly registry: SourceRegistry
    readonly plans: FetchPlans
    /** The geocoding providers, in order of preference. */
    geocoders: Places['geocoders']
    classify: FetchContext['classify']
    /** Loads the data of the address parser in small steps. */
    warmPlaces: Places['warm']
    /** Resolves a location for the service itself, without an account. */
    locate: Locate
    admission: AdmissionQueue
    accounts: AccountManager
    /** Tokens, users, sessions, OAuth and usage. */
    access: Access
    runs: Runs
    searchFields: SearchFields
    ask: AskPipeline
    /** The server processes that use the state. `start` begins the heartbeats of this one. */
    nodes: Pick<Nodes, 'list' | 'start'>
    serverProcess: ServerProcess | null
    /** Whether the state is read-only. The service then answers from existing data and rejects writes. */
    isReadOnly: boolean
    /** The PostgreSQL database of the state; null if the state is in the data folder. */
    database: DatabaseLocation | null
    /** Starts the raster worker early, if there can be rasters. Otherwise the first raster query starts it. */
    prepareRasters(): void
    /** Deletes expired data. Resolves when all of it is deleted, or a failure is logged. */
    runRetention(): Promise<void>
    /** What makes no progress although it should. */
    stuckWork(): Promise<StuckWork[]>
    /** Whether the state can be read. */
    storeAnswers(): Promise<boolean>
    /** Writes what is in memory, and closes every part. */
    close(): Promise<void>
  }

/**
 * Collecting the young generation after this many answers and rejections has no measurable cost, and keeps the service
 * below 200 MB instead of 300 to 400 MB.
 */
const answersBetweenCollections = 2000

/** Opens the app. When a part cannot be opened, the parts before it are closed again. */
export function openApp(options: AppOptions): App {
  const stack = new DisposableStack()
  try {
    if (options.state) stack.defer(options.state.close)
    stack.defer((options.serverProcess ? joinFolderLock : lockFolder)(options.config.data))
    return openParts(stack, options)
  } catch (error) {
    stack.dispose()
    throw error
  }
}

/** Opens the parts in order of their dependencies. The stack closes them in reverse order. */
function openParts(stack: DisposableStack, options: AppOptions): App {
  const { config, contents, workers, now = () => new Date(), randomBytes = secureRandomBytes } = options
  const { serverProcess = null } = options
  const adopt = <T extends { close(): void }>(part: T) => stack.adopt(part, () => part.close())
  const state = options.state ?? adopt(openFolderState(config.data))
  const { store } = state
  const isShared = state.database !== null || serverProcess !== null
  const callOnce = isShared ? createCallOnce(store.billedCalls, now) : null
  const core = openCore(options, { now, randomBytes, isShared, callOnce, adopt })
  const { telemetry, scheduler } = core
  const restarts = createRestartCounter()
  const nodes = createNodes({ ...core, store: store.nodes, id: nodeIdOf(state, serverProcess) })
  const admission = createAppAdmission(config)
  const { rasters, ...sources } = openAppSources(core, {
    contents,
    ...(options.copySchedule && { copySchedule: options.copySchedule }),
    hasWaitingRequests: () => admission.occupancy().waiting > 0,
    embeddedFile: options.embedded,
    startRasterWorker: restarts.watch('raster', countStarts(telemetry, 'raster', workers.raster)),
    startDownloadWorker: countStarts(telemetry, 'download', workers.download),
    startPackCheckWorker: countStarts(telemetry, 'pack_check', workers.packCheck),
  })
  const { documentClient = openDocumentClient(core), limits_ms = {} } = options
  const startOverlayWorker = countStarts(telemetry, 'overlay', workers.overlay)
  const locationDeps = { ...sources, documentClient, limits_ms, admission, startOverlayWorker }
  const location = openLocationServices(core, locationDeps, store, randomBytes)
  const { access, fetchContexts } = location
  const runs = openAppRuns({ ...core, embeddedFile: options.embedded }, location, {
    store,
    database: state.database,
    sources,
    node: nodes.id,
    startWorker: restarts.watch('run', countStarts(telemetry, 'run', workers.run)),
    startWorkbookWorker: countStarts(telemetry, 'workbook', workers.workbook),
    randomBytes,
  })
  return {
    ...core,
    startedAt: now(),
    ...sources,
    ...placeServicesOf(location),
    admission,
    accounts: access.accounts,
    access,
    runs,
    searchFields: adopt(openFieldIndex()).searchFields,
    ask: adopt(openAskPipeline(askOptions(config, telemetry))),
    ...fetchContexts,
    get catalog() {
      return sources.snapshot().catalog
    },
    get registry() {
      return sources.snapshot().registry
    },
    get plans() {
      return sources.snapshot().plans
    },
    nodes,
    isReadOnly: store.isReadOnly,
    database: state.database,
    ...openBackgroundWork(core, state, { ...options, startWorker: countStarts(telemetry, 'backup', workers.backup) }),
    storeAnswers: state.isReadable,
    runRetention: scheduler.runRetention,
    stuckWork: async () => ((await state.isReadable()) ? findStuckWork({ runs, restarts, scheduler }) : []),
    prepareRasters: () => rasters.warmUp({ remote: sources.net !== null }),
    close: () => closeParts(stack, runs, { ...location, nodes }),
  }
}

type CoreDeps = Pick<AppCore, 'now' | 'isShared' | 'callOnce' | 'adopt'> & { randomBytes: (size: number) => Uint8Array }

/** Opens what every part of the app uses. */
function openCore(
  { config, version, log: appLog, serverProcess = null }: AppOptions,
  { now, randomBytes, isShared, callOnce, adopt }: CoreDeps,
): AppCore & { log: AppLog } {
  const telemetry = adopt(openTelemetry({ otlp: config.otlp, version, randomBytes }))
  const log = withRequestId(() => telemetry.requests.current()?.request_id, appLog)
  const scheduler = adopt(openScheduler(log, { now, isFirstProcess: isFirstProcess(serverProcess) }))
  return { config, version, now, log, telemetry, scheduler, serverProcess, isShared, callOnce, adopt }
}

/** With a data folder, a process that replaces another one has its id, and so continues its runs at once. */
function nodeIdOf({ database }: AppState, serverProcess: ServerProcess | null): string | null {
  return database === null ? String(serverProcess?.number ?? 1) : null
}

/** Ends the runs first: their last locations are counted. Then writes what is in memory, and closes all parts. */
async function closeParts(
  stack: DisposableStack,
  runs: Runs,
  { places, access, nodes }: { places: Places; access: Access; nodes: Nodes },
): Promise<void> {
  runs.close()
  await Promise.all([places.flush(), access.flush(), nodes.stop()])
  stack.dispose()
}

function createAppAdmission({ concurrency, queue }: Config): AdmissionQueue {
  return new AdmissionQueue(concurrency, queue, createGarbageCollector(answersBetweenCollections))
}

function countStarts(telemetry: Telemetry, name: string, start: () => Worker): () => Worker {
  return () => {
    telemetry.countWorkerStart(name)
    return start()
  }
}

/** Models require a key and a network. FIELDSTONE_ASK_BUILTIN decides whether questions are answered without them. */
function askOptions({ models, keys, offline, ask_builtin: isBuiltInAllowed }: Config, { countModelTokens }: Telemetry) {
  const key = keys.get('ANTHROPIC_API_KEY')
  const unavailableReason = offline ? 'offline_no_data' : 'key_missing'
  return {
    models: key === undefined || offline ? null : createModels({ ...models, key }, countModelTokens),
    unavailableReason,
    isBuiltInAllowed,
  }
}
