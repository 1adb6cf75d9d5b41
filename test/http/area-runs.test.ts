import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(() => service.close())

const square = (west: number, south: number, size: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ],
  ],
})
const bowTie = {
  type: 'Polygon',
  coordinates: [
    [
      [-105, 39],
      [-104, 40],
      [-104, 39],
      [-105, 40],
      [-105, 39],
    ],
  ],
}

describe('a run of areas', () => {
  test('answers each area, and an invalid geometry is an entry with the place of the fault', async () => {
    const areas = [
      { geometry: square(-105, 39.7, 0.05) },
      { around: { lat: 39.7392, lng: -104.9903, radius_m: 500 } },
      { geometry: bowTie },
      { county_fips: '08013' },
    ]
    const submitted = await service.post(
      '/v1/runs',
      { kind: 'area_batch', request: { areas, fields: ['county', 'timezone'] } },
      { prefer: 'wait=30' },
    )
    expect(submitted.status).toBe(200)
    const run = (await submitted.json()) as { run_id: string; status: string } & Record<string, unknown>
    expect(run).toMatchObject({
      kind: 'area_batch',
      status: 'done',
      progress: { total: 4, ok: 3, failed: 1 },
      values: { total: 8, failed: 2 },
      request: {
        areas: [{ geometry: areas[0]!.geometry }, {}, {}, { county_fips: '08013' }],
        fields: ['county', 'timezone'],
      },
    })
    const { results } = run.result as { results: Record<string, unknown>[] }
    expect(results[0]).toMatchObject({ ok: true, fields: { county: { status: 'ok', covered_share: 1 } } })
    expect(results[2]).toMatchObject({
      ok: false,
      error: { error: 'row_invalid', message: expect.stringContaining('geometry.coordinates.0.0') },
    })
    const csv = await (await service.ask(`/v1/runs/${run.run_id}/artifacts/csv?include=covered_shares`)).text()
    const rows = csv.trim().split('\r\n')
    expect(rows[0]).toContain('county,timezone,failed_fields,county_covered_share,timezone_covered_share')
    expect(rows[1]).toContain('Denver County=1,America/Denver=1')
    expect(rows[4]).toContain('Boulder County=1')
    const geojson = await service.ask(`/v1/runs/${run.run_id}/artifacts/geojson`)
    const { features } = (await geojson.json()) as { features: { geometry: { type: string } | null }[] }
    expect(features.map(({ geometry }) => geometry?.type ?? null)).toEqual(['Polygon', 'Point', null, 'Point'])
  })

  test('is rejected without areas, with two shapes in one row, and as a table without a column of areas', async () => {
    const submit = (request: object) => service.post('/v1/runs', { kind: 'area_batch', request })
    const around = { lat: 39.7392, lng: -104.9903, radius_m: 500 }
    for (const request of [{ fields: ['county'] }, { areas: [{ around, county_fips: '08013' }], fields: ['county'] }]) {
      const response = await submit(request)
      expect(response.status).toBe(422)
    }
    expect((await submit({ areas: [{ around }] })).status).toBe(400)
    const table = await service.ask('/v1/runs?kind=area_batch&fields=county', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'lat,lng\r\n39.7,-105\r\n',
    })
    expect(table.status).toBe(422)
    expect(await table.text()).toContain('Use one of these columns: shape, geometry, county_fips')
  })

  test('is read from a table with a shape or a county in each row', async () => {
    const response = await service.ask('/v1/runs?kind=area_batch&fields=county', {
      method: 'POST',
      headers: { 'content-type': 'text/csv', prefer: 'wait=30' },
      body: 'name,shape\r\nCircle,"circle:39.7392,-104.9903,500"\r\nCounty,county:08013\r\nNone,\r\nStar,star\r\n',
    })
    expect(response.status).toBe(200)
    const { run_id, progress } = (await response.json()) as { run_id: string; progress: object }
    expect(progress).toMatchObject({ total: 4, ok: 2, failed: 2 })
    const csv = await (await service.ask(`/v1/runs/${run_id}/artifacts/csv`)).text()
    expect(csv).toContain('Denver County=1,,Circle,"circle:39.7392,-104.9903,500"\r\n')
    expect(csv).toContain('Boulder County=1,,County,county:08013\r\n')
    const { result } = (await (await service.ask(`/v1/runs/${run_id}`)).json()) as {
      result: { results: { error?: { message: string } }[] }
    }
    expect(result.results.flatMap(({ error }) => error?.message ?? [])).toEqual([
      'Line 4 is invalid: column "shape" is empty.',
      expect.stringContaining('Line 5 is invalid: column "shape" is not an area. Use a text such as polygon:'),
    ])
  })
})
