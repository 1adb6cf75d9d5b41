import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as ours from '../../catalog/contents.ts'
import about from '../../package.json' with { type: 'json' }
import { openHttpService } from '../support/http-service.ts'
import { wetlandPack } from '../support/stored-packs.ts'
import { openTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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

test('/readyz names the presets that local data answers completely in each area of the packs', async () => {
  const data = temporaryFolder()
  const addPart = (part: string, area: string) => {
    const folder = join(data, 'packs', 'usfws_nwi')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${part}.gpkg`), wetlandPack('Lake'))
    writeFileSync(join(folder, `${part}.json`), JSON.stringify({ area, coverage: [-105, 39, -104.9, 39.1] }))
  }
  addPart('08041', 'El Paso County, CO')
  const preset = (...fields: string[]) => ({ reason: 'For a test.', fields })
  const presets = {
    ...ours.presets,
    wetlands: preset('nwi_wetland_type'),
    wetlands_and_floods: preset('nwi_wetland_type', 'fema_flood_zone'),
  }
  const own = openTestService({ FIELDSTONE_DATA: data }, { contents: { ...ours, presets } })
  const areas = async () => {
    await own.app.packs.waitUntilChecked()
    type Ready = { checks: { packs: { areas?: { area: string; presets: string[] }[] } } }
    return ((await (await own.send('/readyz')).json()) as Ready).checks.packs.areas
  }
  try {
    const [area, ...others] = (await areas())!
    expect([area!.area, others]).toEqual(['El Paso County, CO', []])
    expect(area!.presets).toContain('wetlands')
    expect(area!.presets).not.toContain('wetlands_and_floods')
    addPart('box', 'A box')
    expect((await areas())!.map((it) => it.area)).toEqual(['A box', 'El Paso County, CO'])
    rmSync(join(data, 'packs', 'usfws_nwi'), { recursive: true })
    expect(await areas()).toBeUndefined()
  } finally {
    await own.close()
    rmSync(data, { recursive: true })
  }
})
