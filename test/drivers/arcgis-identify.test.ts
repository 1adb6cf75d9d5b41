import { expect, test } from 'bun:test'
import { arcgisIdentifyDriver } from '../../src/drivers/arcgis/arcgis-identify.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { datasetInfo, offlineDeps, startImageHost, type ImageRequest } from './image-host.ts'

const at = { lat: 25.79, lng: -80.13 }
const settings = { endpoint: 'https://maps.example.gov/services/slr_{level}ft/MapServer/0', layer_name: 'depth' }
const layers = [
  { id: 0, name: '3ft Low-lying Areas', type: 'Raster Layer', subLayerIds: null },
  { id: 1, name: '3ft Depth', type: 'Raster Layer', subLayerIds: null },
]
const result = (pixel: unknown, layerId = 1) => ({ layerId, value: 'x', attributes: { 'Stretch.Pixel Value': pixel } })

function opened(identified: unknown, listed: unknown = { layers }) {
  const host = startImageHost(({ path }: ImageRequest) => (path.endsWith('/identify') ? identified : listed))
  const { source } = arcgisIdentifyDriver.open(settings, 'features', host.deps, datasetInfo)!
  const ask = (radius_m = 0) =>
    Promise.resolve(source({ at, radius_m, level: 3 } as never, { signal: new AbortController().signal }))
  return { ...host, ask }
}

test('without a network the driver does not open', () => {
  expect(arcgisIdentifyDriver.open(settings, 'features', offlineDeps, datasetInfo)).toBeNull()
})

test('a point on a pixel is in a feature, and the layer is found by its name', async () => {
  const { ask, requests } = opened({ results: [result('1.25')] })
  expect(await ask()).toEqual([{ properties: { pixel: 1.25 }, distance_m: 0 }])
  expect(requests.at(-1)!.path).toBe('/maps.example.gov/services/slr_3ft/MapServer/identify')
  expect(Object.fromEntries(requests.at(-1)!.form)).toMatchObject({
    geometry: '-80.13,25.79',
    sr: '4326',
    layers: 'all:1',
  })
})

test.each<[string, unknown]>([
  ['NoData', { results: [result('NoData')] }],
  ['no result', { results: [] }],
  ['NoData beside another layer', { results: [result('1.25', 0), result('NoData')] }],
])('with %s, the point is in no feature', async (_name, identified) => {
  expect(await opened(identified).ask()).toEqual([])
})

test.each<[string, unknown, unknown, string]>([
  ['a text for a pixel', { results: [result('deep')] }, { layers }, 'bad_value: '],
  ['a pixel of only another layer', { results: [result('1.25', 0)] }, { layers }, 'bad_response: '],
  ['no list of results', { answer: 1 }, { layers }, 'bad_response: '],
  ['an error', { error: { code: 400, message: 'Invalid' } }, { layers }, 'upstream_rejected: '],
  ['no layer of the name', { results: [] }, { layers: layers.slice(0, 1) }, 'schema_changed: '],
  [
    'a layer of polygons',
    { results: [] },
    { layers: [{ id: 1, name: 'Depth', type: 'Feature Layer', subLayerIds: null }] },
    'schema_changed: ',
  ],
])('%s fails', async (_name, identified, listed, code) => {
  expect(await rejectionMessage(opened(identified, listed).ask())).toStartWith(code)
})

test('a search around the point is rejected', async () => {
  expect(await rejectionMessage(opened({ results: [] }).ask(100))).toStartWith('unsupported_request: ')
})
