import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { SourcesDocument } from '../../src/catalog/meta-documents.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { arcgis } from '../upstreams/arcgis.ts'
import { simulatedLayers } from '../upstreams/layers/layers.ts'
import type { SimulatedLayer } from '../upstreams/layers/layer.ts'
import { jsonAnswer } from '../upstreams/service.ts'
import { services } from '../upstreams/services.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'

/** The layer of coastal barrier units after its publisher has renamed an attribute. */
const renamedUnits = simulatedLayers
  .filter(({ service }) => service.includes('CoastalBarrierResourcesSystem'))
  .map((layer) => renameColumn(layer, 'Unit_Type', 'UNIT_KIND'))
const renamedReading = {
  host: 'air-quality-api.open-meteo.com',
  answer: () => jsonAnswer({ current: { us_aqi: 41, pm25: 7.1, ozone: 80 } }),
}

let upstreams: Upstreams
let service: TestService
beforeAll(() => {
  upstreams = openUpstreams({ services: [...arcgis(renamedUnits), renamedReading, ...services] })
  service = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url })
})
afterAll(async () => {
  await service.close()
  upstreams.close()
})

const readyState = async () => (await (await service.send('/readyz')).json()) as ReadyDocument
type ReadyDocument = { status: string; checks: { sources: Record<string, { state: string; missing?: string[] }> } }

test('before any request, nothing is missing', async () => {
  const { checks } = await readyState()
  expect(Object.values(checks.sources).filter(({ missing }) => missing)).toEqual([])
})

test.each(['miami_beach', 'boulder'] as const)(
  'at %s, only the fields that read what the publisher renamed fail, permanently, also where there is no feature',
  async (place) => {
    const fields = ['within_cbrs_unit', 'cbrs_unit_type', 'pm25_current_ug_m3', 'ozone_current_ug_m3']
    const answer = (await (await service.post('/v1/fetch', { ...testPlaces[place], fields })).json()) as FetchAnswer
    expect(answer.fields.within_cbrs_unit!.status).toBe('ok')
    expect(answer.fields.ozone_current_ug_m3).toMatchObject({ status: 'ok', value: 80 })
    expect(answer.fields.cbrs_unit_type).toMatchObject({
      status: 'failed',
      value: null,
      retryable: false,
      error: expect.stringMatching(/^schema_changed: The source no longer has Unit_Type\b/) as string,
    })
    expect(answer.fields.pm25_current_ug_m3).toMatchObject({
      status: 'failed',
      retryable: false,
      error: expect.stringContaining(
        'schema_changed: The source no longer has $.current.pm2_5. It has current',
      ) as string,
    })
  },
)

test('/readyz, /v1/meta/sources and the metrics name the datasets and what is missing', async () => {
  const { status, checks } = await readyState()
  expect(status).toBe('warn')
  expect(checks.sources.usfws_cbrs).toEqual({ state: 'degraded', missing: ['Unit_Type'] })
  expect(checks.sources.open_meteo_air_quality).toEqual({ state: 'degraded', missing: ['$.current.pm2_5'] })
  const { sources } = (await (await service.send('/v1/meta/sources')).json()) as SourcesDocument
  const changed = sources.filter(({ schema_changed }) => schema_changed.length > 0)
  expect(Object.fromEntries(changed.map((it) => [it.dataset, it.schema_changed]))).toEqual({
    open_meteo_air_quality: ['$.current.pm2_5'],
    usfws_cbrs: ['Unit_Type'],
  })
  const metrics = await (await service.send('/metrics')).text()
  expect(metrics).toContain('fieldstone_source_missing_names{dataset="usfws_cbrs",missing="Unit_Type"} 1')
  expect(metrics).toContain(
    'fieldstone_source_missing_names{dataset="open_meteo_air_quality",missing="$.current.pm2_5"} 1',
  )
})

test('the layer is asked no more than once for an attribute that it does not list', () => {
  const queries = upstreams.calls.filter(({ path }) => path.endsWith('CoastalBarrierResourcesSystem/MapServer/3/query'))
  expect(queries.filter(({ query }) => query.get('outFields')?.includes('Unit_Type'))).toHaveLength(1)
  expect(queries.length).toBeGreaterThan(1)
})

function renameColumn(layer: SimulatedLayer, from: string, to: string): SimulatedLayer {
  return {
    ...layer,
    columns: layer.columns.map((column) => (column.name === from ? { ...column, name: to } : column)),
    rows: layer.rows.map(({ shape, cells }) => {
      const { [from]: value = null, ...others } = cells
      return { shape, cells: { ...others, [to]: value } }
    }),
  }
}
