import { expect, test } from 'bun:test'
import { datasets, fields } from '../../catalog/contents.ts'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { compileJsonPath } from '../../src/model/json-path.ts'
import { documentServices } from './documents.ts'
import { sendToServices, fetchJsonFromServices, answerText, jsonPost, formPost } from './documents/send-request.ts'
import { requestOfOption } from './documents/catalog-requests.ts'
import { rain_100yr_24h_mm } from './documents/noaa-water.ts'
import { greenness } from './documents/scenes.ts'
import { testPlaces } from './test-places.ts'
import { rasterServices } from './rasters.ts'
import { tables } from './tables.ts'

const services = [...documentServices, ...rasterServices, ...tables]
const geocoder =
  'https://geocoding.geo.census.gov/geocoder/geographies/coordinates?benchmark=Public_AR_Current&vintage=Current_Current&layers=all&format=json'

test('the simulated services know the request of every option that uses the own format of a publisher', async () => {
  const unknown: string[] = []
  for (const [id, dataset] of Object.entries(datasets)) {
    for (const way of dataset.serve) {
      const requested = requestOfOption(way)
      const said = requested && (await sendToServices(services, requested.url, requested.question))
      if (requested && (!said || (said.status ?? 200) >= 400))
        unknown.push(`${id} ${way.driver} ${said?.status ?? 'unknown'} ${requested.url}`)
    }
  }
  expect(unknown).toEqual([])
})

test('the JSON path of every field finds a value at one of the places', async () => {
  const lost: string[] = []
  for (const read of fields.flatMap((field) => readsOf(field.read))) {
    const way = datasets[read.dataset]!.serve.find((one) => one.driver === 'rest')
    const requested = way && requestOfOption(way)
    if (read.op !== 'path' || !requested) continue
    const found = compileJsonPath(read.json_path)(
      JSON.parse(answerText(await sendToServices(services, requested.url, requested.question))),
    )
    if (!found?.some((value) => value !== null && value !== undefined)) lost.push(`${read.dataset} ${read.json_path}`)
  }
  // Boulder has no synthetic reservation and no alert, and its parcel has the key in the other of two members.
  const known = /Reservations|^nws_alerts|fields\.ll_uuid$/
  expect(lost.filter((one) => !known.test(one))).toEqual([])
})

test('the geocoder keys its layers by vintage, omits missing ones, and can report failed layers in a 200 response', async () => {
  type Answer = { result: { geographies: Record<string, Record<string, unknown>[]> } }
  const boulder = await fetchJsonFromServices<Answer>(services, `${geocoder}&x=-105.2705&y=40.015`)
  expect(boulder.result.geographies['2020 Census Blocks']).toMatchObject([{ GEOID: '080130122032014' }])
  expect(boulder.result.geographies['Hawaiian Home Lands']).toEqual([])
  const paradise = await fetchJsonFromServices<Answer>(services, `${geocoder}&x=-121.6219&y=39.7596`)
  expect(paradise.result.geographies['2020 Census Blocks']?.[0]).toEqual({
    status: 'Layer query encountered an error: java.lang.RuntimeException: Failed to return',
  })
  const sea = await fetchJsonFromServices<Answer>(services, `${geocoder}&x=-90&y=27`)
  expect(Object.values(sea.result.geographies).flat()).toEqual([])
  expect(await sendToServices(services, geocoder.replace('layers=all', 'layers=54') + '&x=-105&y=40')).toBeNull()
  expect(await sendToServices(services, `${geocoder}&x=-105`)).toBeNull()
  expect((await sendToServices(services, geocoder.replace('Public_AR_Current', 'None') + '&x=-105&y=40'))?.status).toBe(
    400,
  )
})

test('without a key the Census answers 200 with an HTML page, AirNow 401, Regrid 401 and NLR 403 with a code', async () => {
  const census = await sendToServices(
    services,
    'https://api.census.gov/data/2024/acs/acs5?get=NAME,B01003_001E&for=county:013&in=state:08',
  )
  expect(census).toMatchObject({ status: 200, type: 'text/html;charset=utf-8' })
  expect(answerText(census)).toContain('Missing Key')
  expect(
    (
      await sendToServices(
        services,
        'https://www.airnowapi.org/aq/observation/current/ziplatlong/?format=application/json&latitude=40&longitude=-105',
      )
    )?.status,
  ).toBe(401)
  const regrid =
    'https://app.regrid.com/api/v2/parcels/point?lat=40.015&lon=-105.2705&radius=0&limit=1&return_geometry=true&return_zoning=true'
  expect((await sendToServices(services, regrid))?.status).toBe(401)
  const nlr = await sendToServices(
    services,
    'https://developer.nlr.gov/api/solar/solar_resource/v1.json?lat=40&lon=-105',
  )
  expect(nlr?.status).toBe(403)
  expect(answerText(nlr)).toContain('API_KEY_MISSING')
})

test('the Census returns rows of text with a header, a sentinel for no estimate, 204 for an unknown area and 400 for an unknown variable', async () => {
  const acs = 'https://api.census.gov/data/2024/acs/acs5?key=k&get=NAME,B01003_001E,B25064_001E'
  expect(await fetchJsonFromServices<unknown>(services, `${acs}&for=tract:012203&in=state:08%20county:013`)).toEqual([
    ['NAME', 'B01003_001E', 'B25064_001E', 'state', 'county', 'tract'],
    ['Boulder County; Colorado', '4321', '1890', '08', '013', '012203'],
  ])
  expect(
    await fetchJsonFromServices<string[][]>(services, `${acs}&for=tract:458200&in=state:20%20county:027`),
  ).toMatchObject([{}, { 2: '-666666666' }])
  expect(
    await fetchJsonFromServices<string[][]>(
      services,
      `${acs}&for=block%20group:2&in=state:08%20county:013%20tract:012203`,
    ),
  ).toMatchObject([{ 6: 'block group' }, { 1: '1187' }])
  const margins = 'https://api.census.gov/data/2024/acs/acs5?key=k&get=NAME,B01003_001M,B19013_001M'
  expect(
    await fetchJsonFromServices<string[][]>(services, `${margins}&for=tract:458200&in=state:20%20county:027`),
  ).toMatchObject([{}, { 1: '312', 2: '-333333333' }])
  expect(await fetchJsonFromServices<string[][]>(services, `${margins}&for=county:013&in=state:08`)).toMatchObject([
    {},
    { 1: '-555555555', 2: '9847' },
  ])
  expect((await sendToServices(services, `${acs}&for=county:999&in=state:08`))?.status).toBe(204)
  expect((await sendToServices(services, `${acs},B99999_001E&for=county:013&in=state:08`))?.status).toBe(400)
  expect((await sendToServices(services, `${acs}&for=county:013`))?.status).toBe(400)
})

test('the weather service rejects requests without a User-Agent, and redirects a fifth decimal', async () => {
  const url = 'https://api.weather.gov/alerts/active?point='
  expect((await sendToServices(services, `${url}29.9511,-90.0715`, { headers: { 'user-agent': 'bun' } }))?.status).toBe(
    403,
  )
  const moved = await sendToServices(services, `${url}29.95111,-90.0715`)
  expect(moved).toMatchObject({ status: 301, headers: { location: `${url}29.9511,-90.0715` } })
  expect(
    (await fetchJsonFromServices<{ features: unknown[] }>(services, `${url}29.9511,-90.0715`)).features,
  ).toHaveLength(3)
  expect((await fetchJsonFromServices<{ features: unknown[] }>(services, `${url}27,-90`)).features).toEqual([])
})

test('soil data are rows of text under the requested columns, and {} if there are none', async () => {
  const url = 'https://sdmdataaccess.sc.egov.usda.gov/Tabular/post.rest'
  const unit = (point: string) =>
    jsonPost({
      format: 'JSON+COLUMNNAME',
      query: `SELECT TOP 1 m.mukey, m.muname, a.brockdepmin FROM SDA_Get_Mukey_from_intersection_with_WktWgs84('POINT(${point})') p JOIN mapunit m ON m.mukey = p.mukey`,
    })
  expect(await fetchJsonFromServices<unknown>(services, url, unit('-121.6219 39.7596'))).toEqual({
    Table: [
      ['mukey', 'muname', 'brockdepmin'],
      ['2924879', 'Pentz sandy loam, 2 to 15 percent slopes', '38'],
    ],
  })
  expect(await fetchJsonFromServices<unknown>(services, url, unit('-149.9003 61.2181'))).toEqual({})
  expect((await sendToServices(services, url, unit('39.7596 -121.6219')))?.status).toBe(400)
  expect((await sendToServices(services, url, jsonPost({ query: 'SELECT 1' })))?.status).toBe(400)
  const component = jsonPost({
    format: 'JSON+COLUMNNAME',
    query:
      "SELECT c.compname, h.hzdept_r, (SELECT MIN(r.resdept_r) FROM corestrictions r WHERE r.cokey = c.cokey) AS resdept_r FROM component c WHERE c2.mukey = '2924879'",
  })
  expect(await fetchJsonFromServices<{ Table: unknown[] }>(services, url, component)).toMatchObject({
    Table: [['compname', 'hzdept_r', 'resdept_r'], ['Pentz', '0', '38'], {}, {}],
  })
})

test('the tables of two soil statements are numbered, and a table without rows is omitted', async () => {
  const url = 'https://sdmdataaccess.sc.egov.usda.gov/Tabular/post.rest'
  const both = ({ lat, lng }: { lat: number; lng: number }) => {
    const here = `FROM SDA_Get_Mukey_from_intersection_with_WktWgs84('POINT(${lng} ${lat})') p JOIN mapunit m ON m.mukey = p.mukey`
    return jsonPost({
      format: 'JSON+COLUMNNAME',
      query: `SELECT TOP 1 m.mukey ${here}; SELECT c.compname FROM component c WHERE c.mukey = (SELECT TOP 1 m.mukey ${here})`,
    })
  }
  expect(await fetchJsonFromServices<unknown>(services, url, both(testPlaces.boulder))).toEqual({
    Table: [['mukey'], ['94751']],
    Table1: [['compname'], ['Niwot']],
  })
  expect(await fetchJsonFromServices<unknown>(services, url, both(testPlaces.new_orleans))).toEqual({
    Table: [['mukey'], ['665991']],
  })
  expect(await fetchJsonFromServices<unknown>(services, url, both(testPlaces.anchorage))).toEqual({})
})

test('each service reports in its own way that a point is outside', async () => {
  expect(
    answerText(
      await sendToServices(services, 'https://epqs.nationalmap.gov/v1/json?x=-90&y=27&wkid=4326&units=Meters'),
    ),
  ).toBe('Call failed.  [Failed cloud operation: Open, Path: /vsimem/_000011B4.aux.xml]')
  expect(
    (
      await sendToServices(
        services,
        'https://api.water.usgs.gov/nldi/linked-data/comid/position?f=json&coords=POINT(-90%2027)',
      )
    )?.status,
  ).toBe(404)
  expect(
    (
      await sendToServices(
        services,
        'https://earthquake.usgs.gov/ws/building-codes/asce7-22/calculate?latitude=0&longitude=0&riskCategory=II&siteClass=Default&title=x',
      )
    )?.status,
  ).toBe(500)
  expect(
    answerText(
      await sendToServices(
        services,
        'https://hdsc.nws.noaa.gov/cgi-bin/new/cgi_readH5.py?lat=27&lon=-90&type=pf&data=depth&units=metric&series=pds',
      ),
    ),
  ).not.toContain('quantiles')
  expect(
    await fetchJsonFromServices<unknown>(
      services,
      'https://geo.fcc.gov/api/census/area?lat=27&lon=-90&censusYear=2020&format=json',
    ),
  ).toMatchObject({ results: [] })
  expect((await sendToServices(services, 'https://droughtmonitor.unl.edu/data/json/usdm_20260101.json'))?.status).toBe(
    404,
  )
  expect(
    (
      await sendToServices(
        services,
        'https://api.water.noaa.gov/nwps/v1/gauges?bbox.xmin=-120&bbox.ymin=30&bbox.xmax=-80&bbox.ymax=45&srid=EPSG_4326',
      )
    )?.status,
  ).toBe(504)
})

test('Atlas 14 returns 19 durations for ten frequencies, with the 24-hour 100-year rain in row 9, column 6', async () => {
  const script = answerText(
    await sendToServices(
      services,
      'https://hdsc.nws.noaa.gov/cgi-bin/new/cgi_readH5.py?lat=40.015&lon=-105.2705&type=pf&data=depth&units=metric&series=pds',
    ),
  )
  const rows = JSON.parse(/quantiles = (\[\[.*?\]\]);/.exec(script)![1]!.replaceAll("'", '"')) as string[][]
  expect([rows.length, rows[0]!.length, rows[9]![6]]).toEqual([19, 10, String(rain_100yr_24h_mm.boulder)])
})

test('the newest values in a box come ten at a time unless a higher limit is requested', async () => {
  const items =
    'https://api.waterdata.usgs.gov/ogcapi/v0/collections/latest-continuous/items?f=json&parameter_code=00060&bbox='
  const newest = await fetchJsonFromServices<{ features: { properties: Record<string, unknown> }[] }>(
    services,
    `${items}-105.5,39.9,-105,40.2&limit=500`,
  )
  expect(newest.features.map(({ properties }) => properties.value)).toEqual(['121', '118', '55'])
  expect(
    (await fetchJsonFromServices<{ features: unknown[] }>(services, `${items}-180,-90,180,90&limit=2`)).features,
  ).toHaveLength(2)
  expect((await sendToServices(services, `${items}-105.5,39.9,-105`))?.status).toBe(400)
  const both = await fetchJsonFromServices<typeof newest>(
    services,
    `${items.replace('00060', '00060,72019')}-105.5,39.9,-105,40.2&limit=500`,
  )
  expect(both.features.map(({ properties }) => properties.value)).toEqual(['121', '118', '55', '8.1'])
})

test('scenes are found by place, time and cloud cover; their values have 1000 added since baseline 04.00', async () => {
  type Found = { features: { id: string; properties: Record<string, unknown> }[] }
  const search = (from: string, to: string) =>
    fetchJsonFromServices<Found>(
      services,
      'https://planetarycomputer.microsoft.com/api/stac/v1/search',
      jsonPost({
        collections: ['sentinel-2-l2a'],
        intersects: { type: 'Point', coordinates: [-105.2705, 40.015] },
        datetime: `${from}T00:00:00Z/${to}T00:00:00Z`,
        query: { 'eo:cloud_cover': { lt: 20 } },
        limit: 12,
      }),
    )
  const point = async (id: string) =>
    (
      await fetchJsonFromServices<{ values: number[] }>(
        services,
        `https://planetarycomputer.microsoft.com/api/data/v1/item/point/-105.2705,40.015?collection=sentinel-2-l2a&item=${id}&assets=B04&assets=B08&assets=SCL`,
      )
    ).values
  const [old] = (await search('2021-06-01', '2021-08-01')).features
  const [recent] = (await search('2025-06-01', '2025-08-01')).features
  expect([old!.properties['s2:processing_baseline'], await point(old!.id)]).toEqual(['02.12', [1_200, 2_800, 4]])
  expect([recent!.properties['s2:processing_baseline'], await point(recent!.id)]).toEqual(['05.11', [2_000, 4_000, 4]])
  expect(greenness.boulder).toEqual([(2_800 - 1_200) / 4_000, (3_000 - 1_000) / 4_000])
  expect(
    (
      await sendToServices(
        services,
        `https://planetarycomputer.microsoft.com/api/data/v1/item/point/-90,27?collection=sentinel-2-l2a&item=${old!.id}&assets=B04`,
      )
    )?.status,
  ).toBe(404)
})

test('Overpass returns centers, shapes or a count of the tagged elements in a circle, and requires a User-Agent', async () => {
  const url = 'https://overpass-api.de/api/interpreter'
  const script = (filter: string, out: string) =>
    formPost({ data: `[out:json][timeout:25];way${filter}(around:5000,40.015,-105.2705);out ${out};` })
  expect(
    await fetchJsonFromServices<{ elements: unknown[] }>(
      services,
      url,
      script('["highway"~"^(motorway|primary)$"]', 'center tags'),
    ),
  ).toMatchObject({ elements: [{ type: 'way', center: { lat: 40.015 }, tags: { highway: 'primary' } }] })
  expect(
    (
      await fetchJsonFromServices<{ elements: { geometry: unknown[] }[] }>(
        services,
        url,
        script('[power=line]', 'geom'),
      )
    ).elements[0]!.geometry,
  ).toHaveLength(5)
  expect(await fetchJsonFromServices<unknown>(services, url, script('["highway"]', 'count'))).toMatchObject({
    elements: [{ type: 'count', tags: { total: '2' } }],
  })
  expect(
    (await sendToServices(services, url, { ...script('["highway"]', 'count'), headers: { 'user-agent': '' } }))?.status,
  ).toBe(406)
  expect((await sendToServices(services, url, formPost({ data: 'way;' })))?.status).toBe(400)
})

function readsOf(read: ReadSpec): ReadSpec[] {
  const inputs = Object.values(read.from ?? {}).filter((one) => typeof one !== 'string')
  return [read, ...inputs.flatMap(readsOf), ...(read.fallback ?? []).flatMap(readsOf)]
}
