import { afterAll, describe, expect, test } from 'bun:test'
import { openOnlineService } from '../upstreams/online-service.ts'

const service = openOnlineService()
afterAll(service.close)

type Feature = { id: number; geometry: unknown; properties: Record<string, unknown> }

const file = async (run_id: string, name: string) => {
  const response = await service.send(`/v1/runs/${run_id}/artifacts/${name}`)
  expect(response.status).toBe(200)
  return response.text()
}
const lines = async (run_id: string, query = '') => (await file(run_id, `csv${query}`)).trimEnd().split('\r\n')
const finished = async (response: Response) => {
  const { run_id } = (await response.json()) as { run_id: string }
  const run = await service.send(`/v1/runs/${run_id}/events`)
  await run.text()
  return run_id
}
const upload = async (csv: string, query: string) =>
  finished(
    await service.send(`/v1/runs?${query}`, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv }),
  )
const retry = async (run_id: string) => finished(await service.send(`/v1/runs/${run_id}/retry`, { method: 'POST' }))

describe('the input columns', () => {
  test('of addresses come back, with include=geocodes after the accuracy of the match', async () => {
    const run_id = await upload(
      'id,Street,City,State,Zip,provider\n7,1777 Broadway,Boulder,CO,80302,me\n8,,,,,\n',
      'fields=timezone',
    )
    expect((await lines(run_id))[0]).toBe(
      'index,ok,lat,lng,source,error,timezone,failed_fields,id,Street,City,State,Zip,provider',
    )
    const [header, first, second] = await lines(run_id, '?include=geocodes')
    expect(header).toBe(
      'index,ok,lat,lng,source,error,timezone,failed_fields,geocode_accuracy_type,geocode_accuracy,geocode_normalized_address,geocode_provider,warnings,id,Street,City,State,Zip,provider',
    )
    expect(first).toMatch(
      /^0,true,[\d.]+,-[\d.]+,address,,America\/Denver,,[a-z_]+,[\d.]*,.*Boulder.*,\w+,,7,1777 Broadway,Boulder,CO,80302,me$/i,
    )
    expect(second).toBe('1,false,,,,row_invalid,,timezone,,,,,,8,,,,,')
    const [beside] = await lines(run_id, '?columns=input_first')
    expect(beside).toBe(
      'id,Street,City,State,Zip,provider,index,ok,lat,lng,source,error,timezone,failed_fields,warnings',
    )
  })

  test('are properties of the GeoJSON features, also of a row that cannot be read', async () => {
    const run_id = await upload('lat,lng,note\nabc,"39,7392",é\n39.7392,-104.9903,"a,b"\n', 'fields=county')
    const { features } = JSON.parse(await file(run_id, 'geojson')) as { features: Feature[] }
    expect(features.map(({ geometry, properties }) => [geometry === null, properties])).toEqual([
      [
        true,
        {
          ok: false,
          error: 'row_invalid',
          county: null,
          failed_fields: ['county'],
          input_lat: 'abc',
          input_lng: '39,7392',
          note: 'é',
        },
      ],
      [
        false,
        {
          ok: true,
          error: null,
          county: 'Denver County',
          failed_fields: [],
          input_lat: '39.7392',
          input_lng: '-104.9903',
          note: 'a,b',
        },
      ],
    ])
  })
})

describe('failed rows that are corrected', () => {
  const correct = (run_id: string, corrections: object[]) =>
    service.send(`/v1/runs/${run_id}/retry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ corrections }),
    })

  test('are answered in a run of their own, and the merged file has them with the cells of the file', async () => {
    const run_id = await upload('site,lat,lng\na,39.7392,-104.9903\nb,x,y\nc,39.7,0\nd,u,v\n', 'fields=county')
    const retried = await finished(
      await correct(run_id, [
        { index: 2, lat: 25.79, lng: -80.13 },
        { index: 1, address: '1777 Broadway, Boulder, CO 80302' },
      ]),
    )
    expect(await lines(run_id, '?include=retries')).toEqual([
      'index,ok,lat,lng,source,error,county,failed_fields,site,input_lat,input_lng',
      '0,true,39.7392,-104.9903,coordinate,,Denver County,,a,39.7392,-104.9903',
      expect.stringMatching(/^1,true,[\d.]+,-[\d.]+,address,,Boulder County,,b,x,y$/),
      '2,true,25.79,-80.13,coordinate,,Miami-Dade County,,c,39.7,0',
      '3,false,,,,row_invalid,,county,d,u,v',
    ])
    expect((await lines(retried, '?include=original_index')).map((line) => line.split(',')[8])).toEqual([
      'original_index',
      '1',
      '2',
    ])
  })

  test('must be rows that failed, with a location', async () => {
    const run_id = await upload('lat,lng\n39.7392,-104.9903\nx,y\n', 'fields=county')
    const statusOf = async (corrections: object[]) => (await correct(run_id, corrections)).status
    expect(await statusOf([{ index: 0, lat: 25.79, lng: -80.13 }])).toBe(400)
    expect(await statusOf([{ index: 2, lat: 25.79, lng: -80.13 }])).toBe(400)
    expect(await statusOf([{ index: 1, lat: 25.79 }])).toBe(422)
    expect(await statusOf([{ lat: 25.79, lng: -80.13 }])).toBe(422)
    expect(await statusOf([])).toBe(422)
  })
})

describe('a run and its retries', () => {
  test('have one merged file; the file of a retry has its own rows with their original index', async () => {
    service.upstreams.fault({ host: 'hazards.fema.gov', times: 3 }, { status: 503 })
    const run_id = await upload(
      'site,lat,lng\na,25.7901,-80.1301\nb,x,y\nc,25.7902,-80.1302\n',
      'fields=county,fema_flood_zone',
    )
    expect((await lines(run_id)).slice(1)).toEqual([
      '0,true,25.7901,-80.1301,coordinate,,Miami-Dade County,,fema_flood_zone,a,25.7901,-80.1301',
      '1,false,,,,row_invalid,,,county;fema_flood_zone,b,x,y',
      '2,true,25.7902,-80.1302,coordinate,,Miami-Dade County,,fema_flood_zone,c,25.7902,-80.1302',
    ])
    service.upstreams.fault({ host: 'hazards.fema.gov', times: 1 }, { status: 503 })
    const firstRetry = await retry(run_id)
    expect((await lines(firstRetry))[0]).not.toContain('original_index')
    const [header, ...retriedRows] = await lines(firstRetry, '?include=original_index')
    expect(header).toBe(
      'index,ok,lat,lng,source,error,county,fema_flood_zone,failed_fields,original_index,site,input_lat,input_lng',
    )
    expect(retriedRows).toEqual([
      expect.stringMatching(/^0,true,.*,0,a,25\.7901,-80\.1301$/),
      expect.stringMatching(/^1,true,.*,2,c,25\.7902,-80\.1302$/),
    ])
    expect(retriedRows.filter((row) => row.includes(',,fema_flood_zone,'))).toHaveLength(1)
    expect(await lines(firstRetry, '?include=retries')).toHaveLength(4)
    const secondRetry = await retry(firstRetry)
    expect(await lines(secondRetry)).toHaveLength(2)
    const merged = await lines(run_id, '?include=retries')
    expect(merged).toEqual([
      'index,ok,lat,lng,source,error,county,fema_flood_zone,failed_fields,site,input_lat,input_lng',
      expect.stringMatching(/^0,true,.*,Miami-Dade County,[A-Z]+,,a,25\.7901,-80\.1301$/),
      '1,false,,,,row_invalid,,,county;fema_flood_zone,b,x,y',
      expect.stringMatching(/^2,true,.*,Miami-Dade County,[A-Z]+,,c,25\.7902,-80\.1302$/),
    ])
    for (const id of [firstRetry, secondRetry]) expect(await lines(id, '?include=retries')).toEqual(merged)
    expect(JSON.parse(await file(run_id, 'report?include=retries'))).toMatchObject({
      locations: { total: 3, ok: 2, failed: 1 },
      values: { total: 6, ok: 4, absent: 0, failed: 2 },
      location_errors: [{ error: 'row_invalid', locations: 1, first_index: 1 }],
      field_errors: [],
    })
    expect(JSON.parse(await file(run_id, 'report'))).toMatchObject({
      values: { total: 6, ok: 2, absent: 0, failed: 4 },
      field_errors: [{ error: 'upstream_5xx', retryable: true, fields: ['fema_flood_zone'], values: 2 }],
    })
  })

  test('have the status and the reason of each field on request', async () => {
    const run_id = await upload('lat,lng\n39.7392,-104.9903\n0,0\n', 'fields=county')
    expect(await lines(run_id, '?include=reasons')).toEqual([
      'index,ok,lat,lng,source,error,county,failed_fields,county_status,county_reason,input_lat,input_lng',
      '0,true,39.7392,-104.9903,coordinate,,Denver County,,ok,,39.7392,-104.9903',
      '1,false,0,0,coordinate,coord_out_of_bounds,,county,failed,coord_out_of_bounds,0,0',
    ])
    for (const path of ['csv?include=reason', 'report?include=reasons'])
      expect((await service.send(`/v1/runs/${run_id}/artifacts/${path}`)).status).toBe(422)
  })
})
