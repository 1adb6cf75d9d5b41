import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { attribute, openCollector } from '../telemetry/collector.ts'
import { parseExposition, metricValueOf } from '../telemetry/scrape.ts'
import { requireNoSecrets } from '../telemetry/secrets-in-log.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const collector = openCollector()
afterAll(() => collector.close())

test('a server with telemetry exposes metrics, logs each request with its id, and exports every span before it exits', async () => {
  const it = startFieldstone(
    ['serve', '--data', join(folder, 'data'), '--port', '0'],
    { FIELDSTONE_OFFLINE: '1', FIELDSTONE_LOG: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    folder,
  )
  const address = (await it.waitForOutput(/answers at (http:\S+)/))[1]!
  const token = (await it.waitForOutput(/(fst_pat_[0-9A-Za-z]{36})/))[1]!
  const ask = async (path: string, id: string, body?: string) => {
    const response = await fetch(`${address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': id },
      ...(body && { body }),
    })
    return { status: response.status, text: await response.text() }
  }
  expect(
    (await ask('/v1/fetch', 'first', '{"lat":39.7392,"lng":-104.9903,"fields":["county","timezone"]}')).status,
  ).toBe(200)
  const { lines } = parseExposition((await ask('/metrics', 'second')).text)
  expect(
    metricValueOf(lines, 'fieldstone_http_requests_total', { method: 'POST', route: '/v1/fetch', status: '200' }),
  ).toBe(1)
  expect(metricValueOf(lines, 'fieldstone_build_info')).toBe(1)
  it.signal('SIGTERM')
  const { code, err } = await it.end()
  expect(code).toBe(0)
  const logged = err.trim().split('\n')
  expect(
    logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === 'request')
      .map(({ request_id, route }) => [request_id, route]),
  ).toEqual([
    ['first', '/v1/fetch'],
    ['second', '/metrics'],
  ])
  requireNoSecrets(logged)
  expect(
    collector.spans.filter(({ kind }) => kind === 2).map((span) => attribute(span, 'fieldstone.request_id')),
  ).toEqual(['first', 'second'])
  expect(new Set(collector.spans.map(({ name }) => name))).toContain('place')
})
