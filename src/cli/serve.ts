import { openApp, type App, type Options } from '../app.ts'
import { addressOf, ConfigError } from '../config.ts'
import { fetchFields } from '../fetch/fetch.ts'
import { server } from '../http/server.ts'

/** For so long the locations of runs that are in work may end; what is not done then is done after the next start. */
const runsDrain_ms = 10_000
const drain_ms = 15_000
const firstPlace = { lat: 39.7392, lng: -104.9903 }
/** Read once, the gazetteer of towns and ZIP codes is at hand. */
const firstAddress = '1437 Bannock St, Denver, CO 80202'
const noHurry = { signal: new AbortController().signal }

/** Serves until it is told to stop; resolves with the exit code. */
export async function serve(options: Options, print: (line: string) => void): Promise<number> {
  // Heard from the beginning: a signal that comes before the first answer would end the process in the middle of its work.
  const stop = stopSignal()
  const app = openApp(options)
  const { host, port, token } = options.config
  const http = server(app)
  await app.packs.poll()
  await listening(http, host, port).catch(cannotListen)
  const listener = http.server!
  const address = addressOf(host, listener.port!)
  const ownerToken = app.accounts.welcomeOwner(token)
  for (const line of welcome(address, ownerToken, app)) print(line)
  app.log.info('listening', { host, port: listener.port })
  // Not before the owner is there: its worker writes to the same database all the time.
  app.runs.resume()
  warmUp(app).catch((error: unknown) => app.log.error('warm_up', { error }))
  await stop
  app.log.info('stopping')
  // It goes on listening meanwhile: /readyz says that it stops, and new runs are refused.
  await app.runs.stop(runsDrain_ms)
  await Promise.race([listener.stop(), overdue()])
  await listener.stop(true)
  app.close()
  return 0
}

/** Reads the embedded layers, then asks one question in advance: a condition is evaluated over its layer when it is first met. */
async function warmUp(app: App): Promise<void> {
  if (!(await app.embedded.warm())) return
  const place = await app.locate(firstPlace, noHurry)
  await fetchFields(app.catalog.presets.get('place_context')!.fields.map((name) => app.catalog.fields.get(name)!), place, noHurry, app)
  app.kindOf(firstAddress)
}

function listening(http: ReturnType<typeof server>, hostname: string, port: number): Promise<void> {
  return new Promise((resolve) => http.listen({ hostname, port }, () => resolve()))
}

function cannotListen(cause: Error): never {
  throw new ConfigError(`Nothing can be served there: ${cause.message}`, { cause })
}

function welcome(address: string, ownerToken: string | null, { config, catalog, version }: App): string[] {
  const body = JSON.stringify({ ...firstPlace, preset: 'place_context' })
  const header = ownerToken ? ` -H 'Authorization: Bearer ${ownerToken}'` : ''
  const request = ownerToken || config.auth === 'off'
    ? `curl -s ${address}/v1/fetch${header} -H 'Content-Type: application/json' -d '${body}'`
    : `curl -s ${address}/readyz`
  return [
    `Fieldstone ${version} with ${catalog.fields.size} fields answers at ${address} (interface: ${address}/v1/docs)`,
    ...(ownerToken ? [`The owner's token, shown this once: ${ownerToken}`] : []),
    'Try:',
    `  ${request}`,
  ]
}

/** Does not keep the process for its own sake: what is still under way does. */
function overdue(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, drain_ms).unref())
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
