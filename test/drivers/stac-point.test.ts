import { expect, test } from 'bun:test'
import { stacPointDriver } from '../../src/drivers/stac/stac-point.ts'
import type { Grid } from '../../src/model/source.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import {
  cellReaderOf,
  datasetInfo,
  imageBudget,
  invalidImageResponses,
  offlineDeps,
  startImageHost,
  type ImageRequest,
} from './image-host.ts'

const at = { lat: 39.74, lng: -104.99 }
const settings = {
  endpoint:
    'https://stac.example.com/api/data/v1/item/point/{lon},{lat}?collection=normals&item=1991_2020-annual&assets=tavg_norm',
  collection: 'normals',
  item: '1991_2020-annual',
  asset: 'tavg_norm',
  band: 1,
  absent: { statuses: [404], text: 'outside' },
}

function opened(answer: (requests: ImageRequest) => unknown, band = 1) {
  const host = startImageHost(answer)
  const openedSource = stacPointDriver.open({ ...settings, band }, 'raster', host.deps, datasetInfo)!
  return { ...host, openedSource, ask: cellReaderOf(openedSource, at) }
}

const values = (...values: unknown[]) => ({
  coordinates: [at.lng, at.lat],
  values,
  band_names: values.map((_, i) => `tavg_norm_b${i + 1}`),
})

test('without a network the driver does not open', () => {
  expect(stacPointDriver.open(settings, 'raster', offlineDeps, datasetInfo)).toBeNull()
})

test('the value at a point is that of the band', async () => {
  const { ask, requests, openedSource } = opened(() => values(10.9, 12), 2)
  expect(await ask()).toEqual({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [12] })
  expect(openedSource.remote).toEqual({ host: 'stac.example.com' })
  expect(requests[0]!.path).toBe('/stac.example.com/api/data/v1/item/point/-104.99,39.74')
  expect(Object.fromEntries(requests[0]!.form)).toEqual({
    collection: 'normals',
    item: '1991_2020-annual',
    assets: 'tavg_norm',
  })
})

test('datasets with the same assets share one request, and each reads its own value', async () => {
  const host = startImageHost(() => values(10.9, 375.07))
  const endpoint = `${settings.endpoint}&assets=prcp_norm`
  const cells = await Promise.all(
    [1, 2].map(async (band) => {
      const { source } = stacPointDriver.open({ ...settings, endpoint, band }, 'raster', host.deps, datasetInfo)!
      return ((await source({ at, radius_cells: 0 } as never, imageBudget)) as Grid).cells
    }),
  )
  expect(cells).toEqual([[10.9], [375.07]])
  expect(host.requests.map(({ form }) => form.getAll('assets'))).toEqual([['tavg_norm', 'prcp_norm']])
})

test.each<[string, unknown]>([
  ['null', values(null)],
  ['NaN, which is not JSON', '{"coordinates":[-104.99,39.74],"values":[NaN],"band_names":["tavg_norm_b1"]}'],
  ['a point outside the item', Response.json({ detail: 'Point is outside dataset bounds' }, { status: 404 })],
])('%s is no data', async (_, answer) => expect((await opened(() => answer).ask()).cells).toEqual([null]))

test.each<[string, unknown, string]>([
  ['no values', { detail: 'x' }, 'bad_response'],
  ['no value for the band', values(), 'bad_response'],
  ['a text', values('10.9'), 'bad_value'],
  ['an infinite value', '{"values":[1e999]}', 'bad_value'],
  ['no list', { values: [] }, 'bad_response'],
  ['a page with status 404', () => new Response('<html>Not found</html>', { status: 404 }), 'upstream_rejected'],
  ['another 404', () => Response.json({ detail: 'Not Found' }, { status: 404 }), 'upstream_rejected'],
])('%s fails with the right code', async (_, answer, code) => {
  expect(
    await rejectionMessage(opened(typeof answer === 'function' ? (answer as () => unknown) : () => answer).ask()),
  ).toStartWith(`${code}: `)
})

test('a window or another edition is rejected', async () => {
  const { ask, requests } = opened(() => values(1))
  for (const query of [{ radius_cells: 1 }, { radius_m: 100 }, { edition: -1 }])
    expect(await rejectionMessage(ask(query))).toStartWith('unsupported_request: ')
  expect(requests).toEqual([])
})

test.each(invalidImageResponses)('%s fails', async (_, answer, code) => {
  expect(await rejectionMessage(opened(answer).ask())).toStartWith(`${code}: `)
})
