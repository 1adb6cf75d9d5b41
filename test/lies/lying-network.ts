import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sourceHostsOf } from '../../src/catalog/catalog.ts'
import type { Field } from '../../src/catalog/records.ts'
import { answerField } from '../../src/fetch/answer-field.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { FieldEvaluator } from '../../src/fetch/field-evaluator.ts'
import { createRegistryBuilder } from '../../src/fetch/source-registry.ts'
import type { Point } from '../../src/model/place.ts'
import { openHttpClient } from '../../src/net/http-client.ts'
import { openRasters } from '../../src/raster/rasters.ts'
import { workers } from '../../src/workers.ts'
import type { TestService } from '../support/test-service.ts'
import { testKeys } from '../upstreams/online-service.ts'
import type { Lie } from './lies.ts'

/** A server that answers every request with one lie. */
export function openLiar(): { url: string; tell(lie: Lie): void; close(): void } {
  let told: Lie = { name: 'nothing', body: '' }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      const { status = 200, type, headers, body } = told
      const isBodiless = [204, 205, 304].includes(status)
      return new Response(isBodiless ? null : (body as string), {
        status,
        headers: { ...(type && { 'content-type': type }), ...headers },
      })
    },
  })
  return {
    url: server.url.href.replace(/\/$/, ''),
    tell: (lie) => void (told = lie),
    close: () => void server.stop(true),
  }
}

/** A minute between two fields: no circuit stays open, and no host stays in its backoff. */
const minute_ms = 61_000

export async function answersFrom(
  { app }: TestService,
  mirror: string | null,
  questions: { field: Field; at: Point }[],
): Promise<FieldResult[]> {
  let clock_ms = 0
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-lies-'))
  const now = () => new Date('2026-11-22T12:00:00Z')
  const rasters = openRasters({ startWorker: workers.raster })
  const net =
    mirror === null
      ? null
      : openHttpClient({
          mirror,
          userAgent: 'test',
          catalogHosts: new Set(sourceHostsOf(app.catalog.datasets.values())),
          operatorHosts: new Set(['overpass-api.de']),
          now,
          random: Math.random,
          monotonic_ms: () => clock_ms,
          wait: () => Promise.resolve(),
        })
  const registry = createRegistryBuilder(
    {
      embedded: app.embedded,
      net,
      rasters,
      packs: null,
      now,
      folder,
      runHourly: () => {},
      overpass: 'https://overpass-api.de/api/interpreter',
    },
    { offline: mirror === null, keys: new Map(Object.entries(testKeys)) },
    (source) => source,
  )(app.catalog)
  const signal = AbortSignal.timeout(60_000)
  const deadlines = { within: <T>(work: Promise<T>) => work, close: () => {} }
  const results: FieldResult[] = []
  try {
    for (const { field, at } of questions) {
      clock_ms += minute_ms
      const evaluator = new FieldEvaluator(
        await app.locate(at, { signal }),
        { signal },
        { catalog: app.catalog, registry, now, deadlines },
      )
      results.push(
        await answerField(field, registry.dataset(field.read.dataset), {
          evaluate: (it) => evaluator.evaluate(it),
          log: app.log,
          signal,
        }),
      )
    }
    return results
  } finally {
    net?.close()
    rasters.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
