import { afterAll, expect, test } from 'bun:test'
import about from '../../package.json' with { type: 'json' }
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const { catalog } = service.testService.app

async function readiness() {
  const response = await service.ask('/readyz')
  return {
    status: response.status,
    body: (await response.json()) as { status: string; checks: { sources: Record<string, { state: string }> } },
  }
}

test('/healthz returns status ok, the version and the uptime', async () => {
  const body = (await (await service.ask('/healthz')).json()) as { uptime_s: number }
  expect(body).toEqual({ status: 'ok', version: about.version, uptime_s: expect.any(Number) } as never)
  expect(body.uptime_s).toBeGreaterThanOrEqual(0)
})

test('/readyz lists every dataset of the catalog with its state', async () => {
  const { status, body } = await readiness()
  expect(status).toBe(200)
  expect(body).toEqual({
    status: 'pass',
    version: about.version,
    catalog_version: catalog.version,
    checks: {
      store: { status: 'pass' },
      runs: { status: 'pass' },
      progress: { status: 'pass' },
      catalog: { status: 'pass' },
      packs: { status: 'pass' },
      sources: expect.any(Object),
    },
  } as never)
  expect(Object.keys(body.checks.sources).toSorted()).toEqual([...catalog.datasets.keys()].toSorted())
  expect(body.checks.sources.usgs_3dep).toEqual({ state: 'off' })
})

test('an embedded source is ready from the start', async () => {
  expect((await readiness()).body.checks.sources.geonames_places).toEqual({ state: 'ready' })
})
