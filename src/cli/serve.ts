import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noDeadline } from '../async/deadline.ts'
import { openApp, type App, type AppOptions } from '../app.ts'
import { connectDatabaseState } from '../app-state.ts'
import { signInLinkLifetime_minutes } from '../auth/sign-in-link.ts'
import { baseUrlOf, ConfigError, isLoopback, type Config } from '../config.ts'
import { fetchFields } from '../fetch/fetch.ts'
import { providersByField } from '../fetch/providers.ts'
import { createHttpServer } from '../http/server.ts'
import { maintainDataFolder } from './maintenance.ts'
import { removeOpenPage } from './open-in-browser.ts'
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
  const stop = listenForStop()
  const reserved = await reservePort(requestedOptions.config).catch(listenError(requestedOptions.config))
  const { config } = reserved
  const state = config.database ? await connectDatabaseState(config.database) : undefined
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
  await listen(http, { hostname: host, port, reusePort: reserved.isHeld }).catch(listenError(options.config))
  await reserved.release()
  const listener = http.server!
  const address = baseUrlOf(host, listener.port!)
  const ownerToken = await app.accounts.ensureOwner(token)
  const signInUrl = ownerToken !== null || openUrl ? createSignInUrl(address, app) : null
  for (const line of welcomeLines({ address, ownerToken, signInUrl }, app)) print(line)
  if (!app.isReadOnly) openUrl?.(signInUrl ?? address)
  app.log.info('listening', { host, port: listener.port })
  // After ensureOwner: the run worker writes to the same database, and would block it.
  if (!app.isReadOnly) await app.nodes.start()
  await app.runs.resume()
  app.packFetches?.resume()
  warmUp(app)
    .catch((error: unknown) => app.log.error('warm_up_failed', { error }))
    .finally(app.prepareRasters)
  void app.runRetention()
  const ended = await Promise.race([stop.requested, maintainDataFolder(app, options)])
  const corruption = typeof ended === 'string' ? null : ended
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

function listenError({ host, port }: Config): (cause: Error) => never {
  return (cause) => {
    const why =
      'code' in cause && cause.code === 'EADDRINUSE'
        ? 'the address is already in use.'
        : `${cause.message.replace(/[.?]$/, '')}.`
    throw new ConfigError(
      `Cannot listen on ${host}, port ${port}: ${why} Set --host to an address of this machine and --port to a free port.`,
      { cause },
    )
  }
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
  { config, database, catalog, version }: App,
): string[] {
  const body = JSON.stringify({ ...examplePlace, preset: 'place_context' })
  const header = ownerToken ? ` -H 'Authorization: Bearer ${ownerToken}'` : ''
  const request =
    ownerToken || config.auth === 'off'
      ? `curl -s ${address}/v1/fetch${header} -H 'Content-Type: application/json' -d '${body}'`
      : `curl -s ${address}/readyz`
  return [
    `Fieldstone ${version} answers at ${address} with ${catalog.fields.size} fields (guide: ${address}/guide, API reference: ${address}/v1/docs)`,
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

/** A config with the port to listen on. `isHeld`: a listener holds the port until it is released. */
type ReservedPort = { config: Config; isHeld: boolean; release(): Promise<void> }

/**
 * Replaces port 0 by a free port. The port is part of the base URL, so it must be known before the app opens. It is held
 * until the server listens on it too, because another process could take it meanwhile.
 */
async function reservePort(config: Config): Promise<ReservedPort> {
  if (config.port !== 0) return { config, isHeld: false, release: () => Promise.resolve() }
  const holder = Bun.serve({ hostname: config.host, port: 0, reusePort: true, fetch: () => new Response() })
  // It must not keep the process alive if the app cannot open.
  holder.unref()
  const port = holder.port!
  const base_url = config.base_url === baseUrlOf(config.host, 0) ? baseUrlOf(config.host, port) : config.base_url
  return { config: { ...config, port, base_url }, isHeld: true, release: () => holder.stop(true) }
}
