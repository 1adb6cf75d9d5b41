import { expect, test } from 'bun:test'
import { featuresOfIds, listIds, pageSizeOf } from '../../src/drivers/arcgis/arcgis-id-list.ts'
import { UpstreamError } from '../../src/model/error.ts'

const url = 'https://maps.example.gov/arcgis/rest/services/Made/MapServer/0'
const budget = { signal: new AbortController().signal }

/** A layer that answers a count of 3, and `answer` to all else. */
const layerOf = (answer: object | Error) => ({
  url,
  outFields: '*',
  idField: 'OBJECTID',
  send: ({ returnCountOnly }: Record<string, string>) =>
    answer instanceof Error && !returnCountOnly
      ? Promise.reject(answer)
      : Promise.resolve((returnCountOnly ? { count: 3 } : answer) as Record<string, unknown>),
})
const code = (error: unknown): string => (error as UpstreamError).code

test.each<[string, object | Error, object]>([
  ['ids', { objectIdFieldName: 'OBJECTID', objectIds: [7, 8, 9] }, { idField: 'OBJECTID', ids: [7, 8, 9] }],
  ['no ids', { objectIdFieldName: 'OBJECTID', objectIds: null }, { idField: 'OBJECTID', ids: [] }],
  ['that it lists none', new UpstreamError('upstream_rejected', 'no'), { refused: true, ids: [] }],
  ['more than a response holds', new UpstreamError('too_large', 'no'), { refused: false, idField: '', ids: [] }],
])('a layer that answers %s lists them beside its count', async (_, answer, expected) => {
  expect(await listIds(layerOf(answer), {}, budget)).toMatchObject({ refused: false, count: 3, ...expected })
})

test.each<[string, object | Error, string]>([
  ['no name of the id', { objectIds: [1] }, 'bad_response'],
  ['no list', { objectIdFieldName: 'OBJECTID' }, 'bad_response'],
  ['ids that are no numbers', { objectIdFieldName: 'OBJECTID', objectIds: [1, 'x'] }, 'bad_response'],
  ['a timeout', new UpstreamError('timeout', 'late'), 'timeout'],
])('a layer that answers %s is an error', async (_, answer, expected) => {
  expect(await listIds(layerOf(answer), {}, budget).catch(code)).toBe(expected)
})

test('points come in pages of 1,000 and shapes in pages of 250, or what the layer allows', () => {
  const sizeOf = (geometryType: string, max_records: number) =>
    pageSizeOf({ columns: [], idField: null, edited_ms: null, geometryType, max_records })
  const kinds = ['esriGeometryPoint', 'esriGeometryPolygon']
  expect(kinds.flatMap((kind) => [5_000, 100].map((max) => sizeOf(kind, max)))).toEqual([1_000, 100, 250, 100])
})

test.each<[string, number[], number[], number | string | null]>([
  ['all of them', [1, 2], [1, 2], 2],
  ['not all of them', [1, 2], [1], null],
  ['another one', [1, 2], [1, 3], 'bad_response'],
  ['one twice', [1, 2], [1, 1], 'bad_response'],
  ['not the only one', [1], [], 'bad_response'],
])('the features of ids are complete or are asked for again: %s', async (_, ids, returned, expected) => {
  const features = returned.map((OBJECTID) => ({ attributes: { OBJECTID }, geometry: { x: 1, y: 2 } }))
  const answer = { objectIdFieldName: 'OBJECTID', geometryType: 'esriGeometryPoint', features }
  const found = await featuresOfIds(layerOf(answer), ids, budget).catch(code)
  expect(typeof found === 'string' ? found : (found?.features.length ?? null)).toBe(expected)
})
