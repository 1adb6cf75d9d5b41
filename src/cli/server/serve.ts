import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { openApp, type App, type AppOptions } from '../../app.ts'
import type { AppState } from '../../app-state.ts'
import { answeredText } from '../../catalog/answered-text.ts'
import { signInLinkLifetime_minutes } from '../../auth/sign-in-link.ts'
import { baseUrlOf, isLoopback, type Config } from '../../config.ts'
import type { Log } from '../../log.ts'
import { isFirstProcess, type ServerProcess } from '../../server-process.ts'
import { superviseProcesses, type SpawnProcess } from './supervisor.ts'
import { fetchFields } from '../../fetch/fetch.ts'
import { catalogDocumentOf } from '../../fetch/catalog/describe-catalog.ts'
import { providersByField } from '../../fetch/sources/providers.ts'
import { createHttpServer } from '../../http/server.ts'
import type { DatabaseLocation } from '../../store/postgres/database-location.ts'
import { maintainDataFolder } from './maintenance.ts'
import { recordServer } from './running-server.ts'
import { removeOpenPage } from '../account/open-in-browser.ts'
import { listenError, reservePort, reserveSharedPort, type ReservedPort } from './reserved-port.ts'
import { listenForStop, waitUpTo, type StopSignals } from './stop-signals.ts'

/** How long a stop at least waits for requests in progress, after the time for load balancers and runs. */
const requestsDrain_ms = 4000
/** How long a start waits for the checks of packs. Later, fields of a pack that is being checked are unavailable. */
const packsWait_ms = 10_000
const localDrivers: ReadonlySet<string> = new Set(['embedded', 'computed'])
const examplePlace = { lat: 39.7392, lng: -104.9903 }

/** `openUrl` opens a URL in the browser of this machine; undefined without --open. */
type ServeDeps = { print(line: string): void; openUrl?: ((url: string) => void) | undefined }

/** `fieldstone serve`: serves until a signal arrives, and resolves with the exit code. */
export async function serveCommand(requestedOptions: AppOptions, { print, openUrl }: ServeDeps): Promise<number> {
  // Installed first: otherwise a signal during startup would kill the process in the middle of a write.
  const { serverProcess = null } = requestedOptions
  const stop = listenForStop(serverProcess)
  const reserved = serverProcess
    ? assignedPort(requestedOptions.config, serverProcess)
    : await reservePort(requestedOptions.config).catch(listenError(requestedOptions.config))
  const { config } = reserved
  const state = config.database ? await connectState(config.database) : undefined
  const options = { ...requestedOptions, config, ...(state && { state }) }
  const app = openApp(options)
  const http = createHttpServer(app)
  try {
    return await serveUntilStopped(app, http, { options, reserved, stop, print, openUrl })
  } finally {
    await reserved.release()
    // Also after a failed start: an open listener or worker would keep the process alive.
    await http.server?.stop(true)
    if (openUrl && !app.isReadOnly) removeOpenPage(options.config.data)
    await app.close()
  }
}

/** Loads the client of PostgreSQL only if the state is there. */
async function connectState(database: DatabaseLocation): Promise<AppState> {
  return (await import('../../app-database.ts')).connectDatabaseState(database)
}

async function serveUntilStopped(
  app: App,
  http: ReturnType<typeof createHttpServer>,
  {
    options,
    reserved,
    stop,
    print,
    openUrl,
  }: ServeDeps & {
    options: AppOptions
    reserved: ReservedPort
    stop: StopSignals
  },
): Promise<number> {
  const { host, port, token } = options.config
  await Promise.race([app.packs.poll(), timeout(packsWait_ms)])
  // Before the first submission: other processes take over the runs of a process without a heartbeat.
  if (!app.isReadOnly) await app.nodes.start()
  await listen(http, { hostname: host, port, reusePort: reserved.isHeld }).catch(listenError(options.config))
  await reserved.release()
  const listener = http.server!
  const address = baseUrlOf(host, listener.port!)
  const ownerToken = await app.accounts.ensureOwner(token)
  app.log.info('listening', { host, port: listener.port })
  await app.serverProcess?.reportListening()
  if (isFirstProcess(app.serverProcess) && !app.isReadOnly) recordServer({ ...options.config, port: listener.port! })
  if (isFirstStart(app)) {
    const signInUrl = ownerToken !== null || openUrl ? createSignInUrl(address, app) : null
    for (const line of welcomeLines({ address, ownerToken, signInUrl }, app)) print(line)
    if (!app.isReadOnly) openUrl?.(signInUrl ?? address)
  }
  // After ensureOwner: the run worker writes to the same database, and would block it.
  await app.runs.resume()
  app.packFetches?.resume()
  const stopping = new AbortController()
  void prepareForRequests(app, stopping.signal)
  const ended = await Promise.race([stop.requested, maintainDataFolder(app, options)])
  const corruption = typeof ended === 'string' ? null : ended
  stopping.abort()
  app.log.info('stopping')
  const retention = app.runRetention()
  const { drain_s, stop_s } = options.config
  const loadBalancers_ms = ended === 'SIGTERM' ? drain_s * 1000 : 0
  const until_ms = performance.now() + Math.max(stop_s * 1000, loadBalancers_ms + requestsDrain_ms)
  const runs_ms = until_ms - requestsDrain_ms - performance.now()
  // The server still listens: /readyz reports that it is stopping, and new runs are rejected.
  await Promise.all([app.runs.stop(runs_ms, stop.forced), waitUpTo(loadBalancers_ms, stop.forced)])
  const requests_ms = until_ms - performance.now()
  await Promise.race([Promise.all([listener.stop(), retention]), waitUpTo(requests_ms, stop.forced)])
  if (corruption) throw corruption
  return 0
}

/** Runs the processes of `fieldstone serve --processes`, and resolves with the exit code. */
export async function superviseCommand(config: Config, spawnProcess: SpawnProcess, log: Log): Promise<number> {
  const stop = listenForStop()
  const reserved = await reserveSharedPort(config).catch(listenError(config))
  try {
    return await superviseProcesses({ config, reserved, stop, spawnProcess, log })
  } finally {
    await reserved.release()
  }
}

/**
 * Whether to print the welcome text: only the first of several processes does, and not when it replaces another one.
 */
function isFirstStart({ serverProcess }: App): boolean {
  return isFirstProcess(serverProcess) && serverProcess?.isReplacement !== true
}

/** Warms up, and then does what would delay the first answers. */
async function prepareForRequests(app: App, stopping: AbortSignal): Promise<void> {
  await warmUp(app).catch((error: unknown) => app.log.error('warm_up_failed', { error }))
  if (stopping.aborted) return
  app.prepareRasters()
  void app.runRetention()
}

/** Answers one example, so that the first request finds everything compiled, and loads the place names. */
async function warmUp(app: App): Promise<void> {
  const place = await app.locate(examplePlace, noDeadline)
  const providers = providersByField(app.catalog, app.registry)
  const isLocal = (name: string) => providers.get(name)!.providers.every((driver) => localDrivers.has(driver))
  // A publisher must not be called at every start.
  for (const name of app.catalog.presets.get('place_context')!.fields.filter(isLocal)) {
    await fetchFields([app.catalog.fields.get(name)!], place, noDeadline, app)
    await Bun.sleep(0)
  }
  await app.warmPlaces()
  // Loading creates more garbage than it retains.
  Bun.gc(true)
}

type ListenOptions = { hostname: string; port: number; reusePort: boolean }

function listen(http: ReturnType<typeof createHttpServer>, options: ListenOptions): Promise<void> {
  return new Promise((resolve) => http.listen(options, () => resolve()))
}

/** A link that signs the owner in once; null if it would not work, or there is nobody to sign in. */
function createSignInUrl(address: string, { access, config, isReadOnly }: App): string | null {
  const isLocal = isLoopback(new URL(config.base_url).hostname.replace(/^\[(.*)\]$/, '$1'))
  return config.auth === 'on' && isLocal && !isReadOnly ? `${address}/sign-in/${access.signInLink.createCode()}` : null
}

/** What a start prints: the owner token of the first start, and a link that signs the owner in. */
type Welcome = { address: string; ownerToken: string | null; signInUrl: string | null }

function welcomeLines(
  { address, ownerToken, signInUrl }: Welcome,
  { config, database, version, snapshot }: App,
): string[] {
  const body = JSON.stringify({ ...examplePlace, preset: 'place_context' })
  const header = ownerToken ? ` -H 'Authorization: Bearer ${ownerToken}'` : ''
  const request =
    ownerToken || config.auth === 'off'
      ? `curl -s ${address}/v1/fetch${header} -H 'Content-Type: application/json' -d '${body}'`
      : `curl -s ${address}/readyz`
  return [
    `Fieldstone ${version} answers at ${address} (guide: ${address}/guide, API reference: ${address}/v1/docs)`,
    answeredText(catalogDocumentOf(snapshot())),
    ...(ownerToken ? [`Owner token, shown only once: ${ownerToken}`] : []),
    ...(signInUrl
      ? [
          `Sign in to the dashboard with this link, once, within ${signInLinkLifetime_minutes} minutes, on this machine: ${signInUrl}`,
        ]
      : []),
    ...(database && existsSync(join(config.data, 'state.db'))
      ? [`The state in ${join(config.data, 'state.db')} is not used, because FIELDSTONE_DATABASE is set.`]
      : []),
    'Try:',
    `  ${request}`,
  ]
}

function timeout(duration_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration_ms).unref())
}

/** The port that the supervisor gave to this process. All of them listen on it. */
function assignedPort(config: Config, { port, base_url }: ServerProcess): ReservedPort {
  return { config: { ...config, port, base_url }, isHeld: true, release: () => Promise.resolve() }
}
