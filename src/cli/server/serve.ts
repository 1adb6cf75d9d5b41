import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { openApp, type App, type AppOptions } from '../../app.ts'
import { answeredText } from '../../catalog/answered-text.ts'
import { signInLinkLifetime_minutes } from '../../auth/sign-in-link.ts'
import { baseUrlOf, isLoopback, type Config } from '../../config.ts'
import type { Log } from '../../log.ts'
import { isFirstProcess } from '../../server-process.ts'
import { superviseProcesses, type SpawnProcess } from './supervisor.ts'
import { fetchFields } from '../../fetch/fetch.ts'
import { catalogDocumentOf } from '../../fetch/catalog/describe-catalog.ts'
import { providersByField } from '../../fetch/sources/providers.ts'
import { createHttpServer } from '../../http/server.ts'
import { maintainDataFolder } from './maintenance.ts'
import { recordServer } from './running-server.ts'
import { removeOpenPage } from '../account/open-in-browser.ts'
import { openListener, openSharedListener, type Listener } from './listener.ts'
import { listenForStop, waitUpTo, type StopSignals } from './stop-signals.ts'

/** How long a stop at least waits for requests in progress, after the time for load balancers and runs. */
const requestsDrain_ms = 4000
/** How long a start waits for the checks of packs. Later, fields of a pack that is being checked are unavailable. */
const packsWait_ms = 10_000
const localDrivers: ReadonlySet<string> = new Set(['embedded', 'computed'])
const examplePlace = { lat: 39.7392, lng: -104.9903 }

type ServeDeps = {
  print(line: string): void
  /** Opens a URL in the browser of this machine; undefined without --open. */
  openUrl?: ((url: string) => void) | undefined
  /**
   * The server that already listens. A process of several has none: while it starts, requests on its port are for the
   * other processes.
   */
  listener: Listener | null
}

/** `fieldstone serve`: serves until a signal arrives, and resolves with the exit code. */
export async function serveCommand(requestedOptions: AppOptions, deps: ServeDeps): Promise<number> {
  // Installed first: otherwise a signal during startup would kill the process in the middle of a write.
  const stop = listenForStop(requestedOptions.serverProcess)
  const { config } = requestedOptions
  const state = config.database
    ? await (await import('../../app-database.ts')).connectDatabaseState(config.database)
    : undefined
  const options = { ...requestedOptions, ...(state && { state }) }
  const app = openApp(options)
  const http = createHttpServer(app)
  try {
    return await serveUntilStopped(app, http, { ...deps, options, stop })
  } finally {
    // Also after a failed start: an open listener or worker would keep the process alive.
    await http.server?.stop(true)
    if (deps.openUrl && !app.isReadOnly) removeOpenPage(config.data)
    await app.close()
  }
}

async function serveUntilStopped(
  app: App,
  http: ReturnType<typeof createHttpServer>,
  { options, listener, stop, print, openUrl }: ServeDeps & { options: AppOptions; stop: StopSignals },
): Promise<number> {
  const { host, token } = options.config
  await Promise.race([app.packs.poll(), waitUpTo(packsWait_ms, stop.forced)])
  // Before the first submission: other processes take over the runs of a process without a heartbeat.
  if (!app.isReadOnly) await app.nodes.start()
  const { server, config } = listener ?? openListener(options.config, { version: app.version, isShared: true })
  http.server = server
  server.reload({ fetch: http.fetch })
  const address = baseUrlOf(host, config.port)
  const ownerToken = await app.accounts.ensureOwner(token)
  app.log.info('listening', { host, port: config.port })
  await app.serverProcess?.reportListening()
  if (isFirstProcess(app.serverProcess) && !app.isReadOnly) recordServer(config, app.log)
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
  await Promise.race([Promise.all([server.stop(), retention]), waitUpTo(requests_ms, stop.forced)])
  if (corruption) throw corruption
  return 0
}

/** Runs the processes of `fieldstone serve --processes`, and resolves with the exit code. */
export async function superviseCommand(
  config: Config,
  deps: { version: string; spawnProcess: SpawnProcess; log: Log },
): Promise<number> {
  const stop = listenForStop()
  const listener = await openSharedListener(config, deps.version)
  try {
    return await superviseProcesses({ ...deps, config, listener, stop })
  } finally {
    await listener.server.stop(true)
  }
}

/** Only the first of several processes prints the welcome text, unless it replaces another one. */
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
