import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { openOnlineService } from '../upstreams/online-service.ts'
import { openPackService } from '../support/pack-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const parcel = (geoid: string, ...box: [number, number, number, number]) => ({
  geom: blob(polygonWkb(boxRing(...box))),
  attributes: { geoid, zoning: 'R1' },
})
writePack(join(packs, 'parcels.gpkg'))
  .layer('parcels', [
    parcel('08031', -104.991, 39.739, -104.99, 39.74),
    parcel('08001', -104.981, 39.739, -104.98, 39.74),
  ])
  .close()
const service = await openPackService(packs)

const denver = { lat: 39.7392, lng: -104.9903 }
const ask = (body: object) => service.post('/v1/areas', { fields: ['county'], ...body })

async function answerFor(body: object): Promise<AreaAnswer> {
  const response = await ask(body)
  expect(response.status).toBe(200)
  return (await response.json()) as AreaAnswer
}

async function violationOf(body: object): Promise<{ loc: unknown[]; msg: string }> {
  const response = await ask(body)
  expect(response.status).toBe(422)
  return ((await response.json()) as { detail: { loc: unknown[]; msg: string }[] }).detail[0]!
}

describe('an area', () => {
  test('around a coordinate is a circle on the ellipsoid', async () => {
    const { area_m2, fields } = await answerFor({ around: { ...denver, radius_m: 2_000 } })
    expect(Math.abs(area_m2! / (Math.PI * 2_000 ** 2) - 1)).toBeLessThan(1e-4)
    expect(fields.county).toMatchObject({ status: 'ok', covered_share: 1 })
  })

  test('along a line has the full width', async () => {
    const line = {
      type: 'LineString',
      coordinates: [
        [-105, 39.7],
        [-104.9, 39.7],
      ],
    }
    const { length_m } = await answerFor({ geometry: line })
    const { area_m2 } = await answerFor({ corridor: { line, width_m: 60 } })
    expect(Math.abs(area_m2! / (length_m! * 60 + Math.PI * 30 ** 2) - 1)).toBeLessThan(1e-4)
  })

  test('of a county is all of it', async () => {
    const { fields, representative_point } = await answerFor({
      county_fips: '08013',
      fields: ['county', 'county_fips'],
    })
    const { classes } = fields.county!.value as { classes: { value: string; share: number }[] }
    expect(classes[0]).toMatchObject({ value: 'Boulder County', share: 1 })
    const point = await service.post('/v1/fetch', { ...representative_point, fields: ['county_fips'] })
    expect(await point.json()).toMatchObject({ fields: { county_fips: { value: '08013' } } })
  })

  test('of an unknown county is not found, in a request and as the entry of a run', async () => {
    const response = await ask({ county_fips: '99999' })
    const detail = await detailOf(response)
    expect([response.status, detail]).toMatchObject([404, { error: 'not_found', county_fips: '99999' }])
    const run = await service.post(
      '/v1/runs',
      { kind: 'area_batch', request: { areas: [{ county_fips: '99999' }], fields: ['county'] } },
      { prefer: 'wait=20' },
    )
    const { result } = (await run.json()) as { result: { results: object[] } }
    expect(result.results).toMatchObject([{ ok: false, error: detail }])
  })

  test('is exactly one member of the request, with its limits', async () => {
    const around = { ...denver, radius_m: 10 }
    expect((await violationOf({})).loc).toEqual(['body', 'geometry'])
    expect((await violationOf({ around, county_fips: '08013' })).loc).toEqual(['body', 'county_fips'])
    expect((await violationOf({ around: { ...denver, radius_m: 0 } })).loc).toEqual(['body', 'around', 'radius_m'])
    expect((await violationOf({ around: { ...denver, radius_m: 1e7 } })).msg).toContain('maximum is 25,000 km²')
    expect((await violationOf({ county_fips: '02290' })).msg).toContain('maximum')
    const abroad = await ask({ around: { lat: 48.86, lng: 2.35, radius_m: 10 } })
    expect([abroad.status, (await detailOf(abroad)).error]).toEqual([400, 'coord_out_of_bounds'])
  })

  test('that reaches beyond the antimeridian is rejected', async () => {
    expect((await violationOf({ around: { lat: 51.9, lng: 179.99, radius_m: 5_000 } })).msg).toContain('antimeridian')
  })
})

describe('the parcel of a location', () => {
  test('comes from a pack, and its outline is not in the answer', async () => {
    const { fields, area_m2, ...answer } = await answerFor({ parcel_of: denver })
    expect(area_m2).toBeGreaterThan(9_000)
    expect(area_m2).toBeLessThan(10_000)
    expect(fields.county).toMatchObject({ status: 'ok', covered_share: 1 })
    expect(JSON.stringify(answer)).not.toContain('coordinates')
  })

  test('is not found where there is none, or where its county is not that of the point', async () => {
    for (const lng of [-104.97, -104.9805]) {
      const response = await ask({ parcel_of: { lat: 39.7392, lng } })
      expect([response.status, await detailOf(response)]).toMatchObject([
        404,
        { error: 'parcel_not_found', reason: 'no_parcel_at_point', retryable: false },
      ])
    }
  })

  test('needs the scope parcel', async () => {
    const { testService } = service
    const created = await service.post('/v1/users/me/tokens', { name: 'fetch only', scopes: ['fetch'] })
    const { token } = (await created.json()) as { token: string }
    const body = { parcel_of: denver, fields: ['county'] }
    const response = await testService.post('/v1/areas', body, { authorization: `Bearer ${token}` })
    expect([response.status, (await detailOf(response)).error]).toEqual([403, 'insufficient_scope'])
  })

  test('may be a row of a run, with the scope parcel', async () => {
    const submit = (post: typeof service.post, headers: Record<string, string> = {}) => {
      const areas = [{ parcel_of: denver }, { parcel_of: { lat: 39.7392, lng: -104.97 } }]
      return post('/v1/runs', { kind: 'area_batch', request: { areas, fields: ['county'] } }, headers)
    }
    const response = await submit(service.post, { prefer: 'wait=30' })
    const run = (await response.json()) as { result: { results: { ok: boolean; area_m2?: number; error?: object }[] } }
    const [first, second] = run.result.results
    expect([first!.ok, Math.round(first!.area_m2! / 1_000)]).toEqual([true, 10])
    expect(second).toMatchObject({ ok: false, error: { error: 'parcel_not_found' } })
    const scopes = ['runs', 'fetch']
    const created = await service.post('/v1/users/me/tokens', { name: 'no parcels', scopes })
    const { token } = (await created.json()) as { token: string }
    const rejected = await submit(service.testService.post, { authorization: `Bearer ${token}` })
    expect([rejected.status, (await detailOf(rejected)).error]).toEqual([403, 'insufficient_scope'])
  })

  test('is billed once together with the parcel fields of the same point', async () => {
    const online = openOnlineService()
    const boulder = { lat: 40.015, lng: -105.2705 }
    const response = await online.post('/v1/areas', { parcel_of: boulder, fields: ['county'] })
    const { area_m2, fields } = (await response.json()) as AreaAnswer
    expect([response.status, Math.round(area_m2!)]).toEqual([200, 2844])
    expect(fields.county).toMatchObject({ status: 'ok', covered_share: 1 })
    const point = await online.post('/v1/fetch', { ...boulder, fields: ['parcel_zoning'] })
    expect(await point.json()).toMatchObject({ fields: { parcel_zoning: { status: 'ok', cache: 'hit' } } })
    expect(online.upstreams.callsTo('app.regrid.com')).toBe(1)
    await online.close()
  })

  test('is not configured on a server without parcels', async () => {
    const other = await openHttpService()
    const response = await other.post('/v1/areas', { parcel_of: denver, fields: ['county'] })
    expect([response.status, (await detailOf(response)).error]).toEqual([501, 'parcels_not_configured'])
    await other.close()
  })
})
