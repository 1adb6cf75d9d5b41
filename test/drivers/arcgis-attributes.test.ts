import { expect, test } from 'bun:test'
import { answerOf, arcgisErrorCode, arcgisServer, openArcgis, type ArcgisRequest } from './arcgis-server.ts'

const here = { at: { lat: 39.7392, lng: -104.9903 }, radius_m: 0 }
const refusal = { error: { code: 400, message: 'Failed to execute query.', details: [] } }
const listed = (...names: string[]) => names.map((name) => ({ name, type: 'esriFieldTypeString' }))

/** A layer with the attribute NAME that, like ArcGIS, rejects every query for another one. */
function layerWithName(describe: () => unknown = () => ({ fields: listed('OBJECTID', 'NAME') })) {
  return arcgisServer(({ path, query }) => {
    if (!path.endsWith('/query')) return describe()
    const named = `${query.get('outFields') ?? ''},${/\b(GONE)\b/.exec(query.get('where') ?? '')?.[1] ?? ''}`
    return named.includes('GONE') ? refusal : answerOf([{ attributes: { NAME: 'Denver' } }])
  })
}

const descriptionsIn = (requests: ArcgisRequest[]) => requests.filter(({ path }) => path.endsWith('/0')).length
const outFieldsOf = (requests: ArcgisRequest[]) => requests.map(({ query }) => query.get('outFields'))

test('a layer that rejects a query is asked without the attributes that its description does not list', async () => {
  using server = layerWithName()
  const attributes = ['NAME', 'GONE']
  const { near, missingOf } = openArcgis({ endpoint: `${server.service}/0` }, { attributes })
  expect(missingOf(attributes)).toEqual([])
  expect(await near(here)).toEqual([{ properties: { NAME: 'Denver' }, distance_m: 0 }])
  expect(missingOf(attributes)).toEqual(['GONE'])
  await near(here)
  expect(outFieldsOf(server.queries())).toEqual(['NAME,GONE', 'NAME', 'NAME'])
  expect(descriptionsIn(server.requests)).toBe(1)
})

test('a condition on an attribute that the description does not list is schema_changed', async () => {
  using server = layerWithName()
  const { near } = openArcgis({ endpoint: `${server.service}/0` }, { attributes: ['NAME'] })
  expect(await arcgisErrorCode(near({ ...here, where: "GONE = 'x'" }))).toBe('schema_changed')
  expect(await arcgisErrorCode(near({ ...here, radius_m: 500, where: "GONE = 'x'", count_only: true }))).toBe(
    'schema_changed',
  )
})

test.each<[string, unknown]>([
  ['an error', refusal],
  ['a page', new Response('<html></html>', { headers: { 'content-type': 'text/html' } })],
  ['unavailable', new Response('{}', { status: 503 })],
  ['without attributes', { fields: [] }],
])('if the description is %s, the rejection of the query remains, and the description waits', async (_name, answer) => {
  using server = layerWithName(() => (answer instanceof Response ? answer.clone() : answer))
  const { near, missingOf } = openArcgis({ endpoint: `${server.service}/0` }, { attributes: ['NAME', 'GONE'] })
  expect(await arcgisErrorCode(near(here))).toBe('upstream_rejected')
  expect(await arcgisErrorCode(near(here))).toBe('upstream_rejected')
  expect(missingOf(['NAME', 'GONE'])).toEqual([])
  expect(descriptionsIn(server.requests)).toBe(1)
})

test('an answer without features shows what the layer lacks, and a later answer that it is back', async () => {
  let fields = listed('OBJECTID', 'NAME')
  using server = arcgisServer(() => answerOf([], { fields }))
  const { near, missingOf } = openArcgis({ endpoint: `${server.service}/0` }, { attributes: ['NAME', 'KIND'] })
  expect(await near(here)).toEqual([])
  expect(missingOf(['NAME', 'KIND'])).toEqual(['KIND'])
  fields = listed('OBJECTID', 'NAME', 'SHORT.KIND')
  using later = arcgisServer(() => answerOf([], { fields }))
  const other = openArcgis({ endpoint: `${later.service}/0` }, { attributes: ['NAME', 'KIND'] })
  await other.near(here)
  expect(other.missingOf(['NAME', 'kind'])).toEqual([])
})

test('the descriptions of the layers that were asked are read at most once a day, and replace what was known', async () => {
  let fields = listed('NAME')
  let now = new Date('2026-01-01T00:00:00Z')
  using server = arcgisServer(({ path }) => (path.endsWith('/query') ? answerOf([]) : { fields }))
  const { near, missingOf, runJobs } = openArcgis(
    { endpoint: `${server.service}/0` },
    { attributes: ['NAME', 'KIND'], now: () => now },
  )
  await runJobs()
  expect(server.requests).toEqual([])
  await near(here)
  await runJobs()
  await runJobs()
  expect([descriptionsIn(server.requests), missingOf(['NAME', 'KIND'])]).toEqual([1, ['KIND']])
  await near(here)
  expect(outFieldsOf(server.queries())).toEqual(['NAME,KIND', 'NAME'])
  fields = listed('NAME', 'KIND')
  now = new Date('2026-01-02T00:00:01Z')
  await runJobs()
  await near(here)
  expect([missingOf(['NAME', 'KIND']), outFieldsOf(server.queries()).at(-1)]).toEqual([[], 'NAME,KIND'])
})

test('a layer of points cannot say what contains a point', async () => {
  using server = arcgisServer(() => answerOf([], { geometryType: 'esriGeometryPoint' }))
  expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(here))).toBe('schema_changed')
})
