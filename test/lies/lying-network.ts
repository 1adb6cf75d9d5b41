import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as ours from '../../catalog/contents.ts'
import { openApp, type App } from '../../src/app.ts'
import { sourceHostsOf } from '../../src/catalog/catalog.ts'
import { readInputsOf } from '../../src/catalog/read-spec.ts'
import type { CatalogContents, Field, ReadSpec } from '../../src/catalog/records.ts'
import { configOf } from '../../src/config.ts'
import { parseInThisThread } from '../../src/drivers/table/parse-download.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { fetchFields } from '../../src/fetch/fetch.ts'
import { FetchPlans } from '../../src/fetch/fetch-plan.ts'
import { createRegistryBuilder } from '../../src/fetch/sources/source-registry.ts'
import { createLog } from '../../src/log.ts'
import type { Point } from '../../src/model/place.ts'
import { openHttpClient, type HttpClient } from '../../src/net/http-client.ts'
import { openRasters } from '../../src/raster/rasters.ts'
import { workers } from '../../src/workers.ts'
import { embeddedFile } from '../support/test-service.ts'
import { testKeys } from '../upstreams/online-service.ts'
import type { Lie } from './lies.ts'

/** A field and the place at which it is requested. */
export type Question = { field: Field; at: Point }

/** The catalog and the embedded data, asked through a network that a test controls. */
export type Questioner = {
  app: App
  /** All messages of bugs. */
  logged: string[]
  /** Asks the questions one after the other, with nothing cached. `mirror` null: without a network. */
  answersFrom(mirror: string | null, questions: Question[]): Promise<FieldResult[]>
  close(): Promise<void>
}

/** Opens the catalog for questions. `contents` replaces it. */
export function openQuestioner(contents: CatalogContents = ours): Questioner {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-lies-'))
  const logged: string[] = []
  const config = configOf({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_DATA: data })
  const log = createLog(config.log, (line) => logged.push(line))
  const app = openApp({ config, contents, embedded: embeddedFile, log, version: 'test', workers })
  return {
    app,
    logged,
    answersFrom: (mirror, questions) => askAll(app, mirror, questions),
    async close() {
      await app.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** Each field that needs the network or a pack at one of the places, at the first of these places. */
export async function networkQuestions({ app, answersFrom }: Questioner, places: Point[]): Promise<Question[]> {
  const questions: Question[] = []
  let left = [...app.catalog.fields.values()]
  for (const at of places) {
    const open = left.map((field) => ({ field, at }))
    const results = await answersFrom(null, open)
    questions.push(...open.filter((_, i) => results[i]!.status === 'failed'))
    left = left.filter((_, i) => results[i]!.status !== 'failed')
  }
  return questions
}

/** The datasets that a field may use: those of its reads and of its input fields. */
export function datasetsUsedBy({ read }: Field, { catalog }: Pick<App, 'catalog'>): Set<string> {
  const found = new Set<string>()
  const visit = (spec: ReadSpec) => {
    found.add(spec.dataset)
    for (const input of readInputsOf(spec)) {
      const inner = typeof input === 'string' ? catalog.fields.get(input)?.read : input
      if (inner) visit(inner)
    }
    spec.fallback?.forEach(visit)
  }
  visit(read)
  return found
}

/** A server that answers every request with one lie. */
export function openLiar(lie: Lie): { url: string; close(): void } {
  const { status = 200, type, headers, body } = lie
  const isBodiless = [204, 205, 304].includes(status)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(isBodiless ? null : (body as string), {
        status,
        headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
      }),
  })
  return { url: server.url.href.replace(/\/$/, ''), close: () => void server.stop(true) }
}

/** The time between two questions: no circuit stays open, and no host stays in its backoff. */
const pause_ms = 120_000
/** The simulated publishers date their answers today. */
const now = () => new Date()

async function askAll(app: App, mirror: string | null, questions: Question[]): Promise<FieldResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-lies-'))
  const rasters = openRasters({ startWorker: workers.raster })
  let clock_ms = 0
  const net = mirror === null ? null : openMirrorClient(app, mirror, () => clock_ms)
  const deps = {
    embedded: app.embedded,
    net,
    rasters,
    packs: null,
    now,
    folder,
    runHourly: () => {},
    parse: parseInThisThread,
    overpass: 'https://overpass-api.de/api/interpreter',
  }
  const settings = { offline: mirror === null, keys: new Map(Object.entries(testKeys)) }
  const registry = createRegistryBuilder(deps, settings, (source) => source)(app.catalog)
  const context = { catalog: app.catalog, registry, plans: new FetchPlans(app.catalog, registry), log: app.log, now }
  const ask = async ({ field, at }: Question) => {
    clock_ms += pause_ms
    const signal = AbortSignal.timeout(30_000)
    const { fields } = await fetchFields([field], await app.locate(at, { signal }), { signal }, context)
    return fields[field.name]!
  }
  try {
    const results: FieldResult[] = []
    for (const question of questions) results.push(await ask(question))
    return results
  } finally {
    net?.close()
    rasters.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function openMirrorClient({ catalog }: Pick<App, 'catalog'>, mirror: string, monotonic_ms: () => number): HttpClient {
  return openHttpClient({
    mirror,
    userAgent: 'fieldstone-test (test@fieldstone.example)',
    catalogHosts: new Set(sourceHostsOf(catalog.datasets.values())),
    operatorHosts: new Set(['overpass-api.de']),
    now,
    random: () => 0,
    monotonic_ms,
    wait: () => Promise.resolve(),
  })
}
