import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as ours from '../../catalog/contents.ts'
import about from '../../package.json' with { type: 'json' }
import { openApp, type App, type AppOptions } from '../../src/app.ts'
import type { CatalogContents } from '../../src/catalog/records.ts'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { configOf, type Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'
import { workers, type Workers } from '../../src/workers.ts'
import { removeTestDatabase, testAppState, testStateOf, withTestDatabase, type TestState } from './test-state.ts'
import { requireNoSecrets } from '../telemetry/secrets-in-log.ts'

export const embeddedFile = join(import.meta.dir, '..', '..', 'dist', 'embedded.bin')
/** The GeoPackage that the embedded file is laid out from. */
export const embeddedGeopackage = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')
if (!existsSync(embeddedFile))
  throw new Error('dist/embedded.bin is missing: run the tests through `npm test`, which makes it.')

/** A complete service with its own data folder and no network, called as a client would. */
export type TestService = {
  app: App
  token: string
  /** Resolves when the owner exists. `send` waits for it. */
  ready: Promise<unknown>
  /** The stored state, for SQL of a test. */
  state: TestState
  /** All log entries. */
  logged: string[]
  send(path: string, init?: RequestInit): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type TestServiceOptions = Pick<
  AppOptions,
  'startCommand' | 'copySchedule' | 'now' | 'documentClient' | 'limits_ms'
> & {
  contents?: CatalogContents
  /** Replace workers of these kinds. */
  replacedWorkers?: Partial<Workers>
}

/** Opens a test service. `contents` replaces the catalog. */
export function openTestService(
  env: Environment = {},
  { contents = ours, replacedWorkers, limits_ms, ...replaced }: TestServiceOptions = {},
): TestService {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-'))
  const logged: string[] = []
  const config = configOf(withTestDatabase({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_DATA: data, ...env }))
  const isNew = !existsSync(join(config.data, 'state.db'))
  const app = openApp({
    config,
    contents,
    embedded: embeddedFile,
    log: createLog(config.log, (line) => logged.push(line)),
    version: about.version,
    workers: { ...workers, ...replacedWorkers },
    ...testAppState(config),
    ...replaced,
    limits_ms: { geocode: { geocodio: 60_000, census: 60_000, all: 60_000 }, overlay: 60_000, ...limits_ms },
  })
  const http = createHttpServer(app)
  const token = config.token ?? (isNew ? makeToken('pat', secureRandomBytes) : '')
  const ready = app.accounts.ensureOwner(token || null)
  const send = async (path: string, { headers, ...init }: RequestInit = {}) => {
    await ready
    return http.handle(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { host: 'localhost', authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
      }),
    )
  }
  const close = async () => {
    await ready
    await app.close()
    rmSync(data, { recursive: true, force: true })
    if (config.data === data) await removeTestDatabase(config)
    requireNoSecrets(logged)
  }
  return {
    app,
    token,
    ready,
    state: testStateOf(config),
    logged,
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
