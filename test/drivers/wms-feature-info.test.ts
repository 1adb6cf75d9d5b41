import { expect, test } from 'bun:test'
import { wmsFeatureInfoDriver } from '../../src/drivers/raster/wms-feature-info.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import {
  cellReaderOf,
  datasetInfo,
  invalidImageResponses,
  offlineDeps,
  startImageHost,
  type ImageRequest,
} from './image-host.ts'

const at = { lat: 40.01, lng: -105.27 }
const settings = { endpoint: 'https://maps.example.gov/geoserver/cover/wms', layer: 'cover:year_data' }

function opened(
  answer: (requests: ImageRequest) => unknown,
  more: { newest_year?: number; find_newest_year?: true } = {},
) {
  const host = startImageHost(answer)
  const openedSource = wmsFeatureInfoDriver.open({ ...settings, ...more }, 'raster', host.deps, datasetInfo)!
  return { ...host, openedSource, ask: cellReaderOf(openedSource, at) }
}

const collection = (...features: unknown[]) => ({
  type: 'FeatureCollection',
  features,
  totalFeatures: 'unknown',
  numberReturned: features.length,
  crs: null,
})
const cell = (properties: unknown) => collection({ type: 'Feature', id: '', geometry: null, properties })

test('without a network the driver does not open', () => {
  expect(wmsFeatureInfoDriver.open(settings, 'raster', offlineDeps, datasetInfo)).toBeNull()
})

test('the cell of a point is the middle of a small image of the newest year', async () => {
  const { ask, requests, openedSource } = opened(() => cell({ PALETTE_INDEX: 42 }), { newest_year: 2024 })
  expect(await ask()).toEqual({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [42] })
  expect(openedSource.remote).toEqual({ host: 'maps.example.gov' })
  expect(requests[0]!.path).toBe('/maps.example.gov/geoserver/cover/wms')
  expect(Object.fromEntries(requests[0]!.form)).toEqual({
    service: 'WMS',
    version: '1.1.1',
    request: 'GetFeatureInfo',
    layers: 'cover:year_data',
    query_layers: 'cover:year_data',
    srs: 'EPSG:4326',
    bbox: '-105.2710000,40.0090000,-105.2690000,40.0110000',
    width: '3',
    height: '3',
    x: '1',
    y: '1',
    info_format: 'application/json',
    time: '2024-01-01T00:00:00.000Z',
  })
})

test('a value of another name is not taken for the code of the cell', async () => {
  const { ask } = opened(() => cell({ Value: 1 }))
  expect(ask()).rejects.toMatchObject({ code: 'bad_value' })
})

test('editions count back from the newest year', async () => {
  const { ask, requests } = opened(() => cell({ gray_index: 42.0 }), { newest_year: 2024 })
  expect((await ask({ edition: -3 })).cells).toEqual([42])
  expect(requests[0]!.form.get('time')).toBe('2021-01-01T00:00:00.000Z')
})

test('the newest year is the last one that the service knows, looked up once', async () => {
  const unknownYear =
    '<ServiceExceptionReport><ServiceException code="InvalidDimensionValue">No match</ServiceException></ServiceExceptionReport>'
  const last = offlineDeps.now().getUTCFullYear() - 1
  const { ask, requests } = opened(
    ({ form }) => (form.get('time')!.startsWith(String(last)) ? unknownYear : cell({ PALETTE_INDEX: 42 })),
    { find_newest_year: true },
  )
  expect(await ask()).toMatchObject({ cells: [42], year: last - 1 })
  expect(await ask({ edition: -2 })).toMatchObject({ cells: [42], year: last - 3 })
  expect(requests.map(({ form }) => Number(form.get('time')!.slice(0, 4)))).toEqual([
    last,
    last - 1,
    last - 1,
    last - 3,
  ])
})

test('a point where no year has a value has no data', async () => {
  const { ask, requests } = opened(() => collection(), { find_newest_year: true })
  expect((await ask()).cells).toEqual([null])
  expect(requests).toHaveLength(4)
})

test('a layer without years is requested without a time and has no earlier edition', async () => {
  const { ask, requests } = opened(() => cell({ GRAY_INDEX: 1 }))
  await ask()
  expect(requests[0]!.form.has('time')).toBe(false)
  expect(await rejectionMessage(ask({ edition: -1 }))).toStartWith('unsupported_request: ')
})

test('an image with nothing at the point has no data', async () => {
  expect((await opened(() => collection()).ask()).cells).toEqual([null])
})

test('a window is rejected', async () => {
  const { ask, requests } = opened(() => cell({ GRAY_INDEX: 1 }))
  expect(await rejectionMessage(ask({ radius_cells: 1 }))).toStartWith('unsupported_request: ')
  expect(await rejectionMessage(ask({ radius_m: 1000 }))).toStartWith('unsupported_request: ')
  expect(requests).toEqual([])
})

const exception =
  '<?xml version="1.0"?><ServiceExceptionReport version="1.1.1"><ServiceException code="LayerNotDefined">\n  Could not find layer\n</ServiceException></ServiceExceptionReport>'
test.each<[string, unknown, string]>([
  [
    'an exception report with status 200',
    exception,
    'upstream_rejected: maps.example.gov rejected the request: Could not find layer.',
  ],
  ['an invalid list', { features: 'none' }, 'bad_response: '],
  ['several other numbers', cell({ RED_BAND: 42, GREEN_BAND: 7 }), 'bad_value: '],
  ['no number', cell({ name: 'forest' }), 'bad_value: '],
  ['text instead of a number', cell({ PALETTE_INDEX: '42' }), 'bad_value: '],
  ['an invalid feature', collection(7), 'bad_value: '],
  ['text', 'no features were found', 'bad_response: '],
])('%s fails with the right code', async (_, answer, words) => {
  expect(await rejectionMessage(opened(() => answer).ask())).toStartWith(words)
})

test.each(invalidImageResponses)('%s fails', async (_, answer, code) => {
  expect(await rejectionMessage(opened(answer).ask())).toStartWith(`${code}: `)
})
