import { expect, test } from 'bun:test'
import { cropscapeDriver } from '../../src/drivers/raster/cropscape.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import {
  cellReaderOf,
  datasetInfo,
  invalidImageResponses,
  offlineDeps,
  startImageHost,
  type ImageRequest,
} from './image-host.ts'

const at = { lat: 39.3, lng: -97.1 }
const settings = {
  endpoint: 'https://crops.example.edu/axis2/services/CDLService/GetCDLValue?year={year}&x={albers_x}&y={albers_y}',
  crs: 'EPSG:5070',
}

function opened(answer: (requests: ImageRequest) => unknown, today?: string) {
  const host = startImageHost(answer)
  const deps = { ...host.deps, ...(today !== undefined && { now: () => new Date(today) }) }
  const openedSource = cropscapeDriver.open(settings, 'raster', deps, datasetInfo)!
  return { ...host, openedSource, ask: cellReaderOf(openedSource, at) }
}

// As recorded, except for the numbers.
const result = (value: string) =>
  `<ns1:GetCDLValueResponse xmlns:ns1="http://cropscape.csiss.gmu.edu/CDLService/"><Result>{x: -926275.1598835926, y: 2579484.321801897, ${value}, category: "Chick Peas", color: "#00AF4D"}</Result></ns1:GetCDLValueResponse>`
const fault = (code: string) =>
  `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault><faultcode>soapenv:${code}</faultcode><faultstring>Error: The point is not valid</faultstring></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

test('a season that is listed but not loaded reads 0, and the season before counts as the newest', async () => {
  const host = startImageHost(({ form }) => result(form.get('year') === '2025' ? 'value: 0' : 'value: 51'))
  const deps = { ...host.deps, now: () => new Date('2026-06-01') }
  const ask = cellReaderOf(cropscapeDriver.open({ ...settings, unloaded_code: 0 }, 'raster', deps, datasetInfo)!, at)
  expect(await ask()).toMatchObject({ cells: [51], year: 2024 })
  expect(await ask({ edition: -1 })).toMatchObject({ cells: [51], year: 2023 })
})

test('without a network the driver does not open', () => {
  expect(cropscapeDriver.open(settings, 'raster', offlineDeps, datasetInfo)).toBeNull()
})

test('the code of a point is requested by year and in meters', async () => {
  const { ask, requests, openedSource } = opened(() => result('value: 51'))
  expect(await ask()).toEqual({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [51], year: 2025 })
  expect(openedSource.remote).toEqual({ host: 'crops.example.edu' })
  expect(requests[0]!.path).toBe('/crops.example.edu/axis2/services/CDLService/GetCDLValue')
  expect(requests[0]!.form.get('year')).toBe('2025')
  const [x, y] = albersOf(at)
  expect(Number(requests[0]!.form.get('x'))).toBeCloseTo(x, 2)
  expect(Number(requests[0]!.form.get('y'))).toBeCloseTo(y, 2)
})

test.each([
  ['2026-06-01', 0, '2025'],
  ['2026-06-01', -4, '2021'],
  ['2026-02-28', 0, '2024'],
  ['2026-03-01', 0, '2025'],
  ['2026-01-01', -1, '2023'],
])('on %s edition %d is %s, because a year is published in the next February', async (today, edition, year) => {
  const { ask, requests } = opened(() => result('value: 1'), `${today}T00:00:00Z`)
  await ask({ edition })
  expect(requests[0]!.form.get('year')).toBe(year)
})

test('background is a separate code', async () => {
  expect((await opened(() => result('value: 0')).ask()).cells).toEqual([0])
})

test('a window is rejected', async () => {
  const { ask, requests } = opened(() => result('value: 1'))
  expect(await rejectionMessage(ask({ radius_cells: 1 }))).toStartWith('unsupported_request: ')
  expect(await rejectionMessage(ask({ radius_m: 1000 }))).toStartWith('unsupported_request: ')
  expect(requests).toEqual([])
})

test.each<[string, unknown, string]>([
  [
    'a server error with status 200',
    fault('Server'),
    'upstream_5xx: crops.example.edu rejected the request: Error: The point is not valid',
  ],
  ['a client error', fault('Client'), 'upstream_rejected: '],
  ['a result without a code', result('category: "Corn"'), 'bad_response: '],
  ['an invalid code', result('value: null'), 'bad_response: '],
  ['a fault with status 500, as for degrees', () => new Response(fault('Server'), { status: 500 }), 'upstream_5xx: '],
])('%s fails with the right code', async (_, answer, words) => {
  expect(
    await rejectionMessage(opened(typeof answer === 'function' ? (answer as () => unknown) : () => answer).ask()),
  ).toStartWith(words)
})

test.each(invalidImageResponses)('%s fails', async (_, answer, code) => {
  expect(await rejectionMessage(opened(answer).ask())).toStartWith(`${code}: `)
})

/** Snyder's formulas of the Albers projection, on GRS 80. */
function albersOf({ lat, lng }: typeof at): [x: number, y: number] {
  const [a, e2] = [6_378_137, 0.006694380022900788]
  const e = Math.sqrt(e2)
  const rad = (degrees: number) => (degrees * Math.PI) / 180
  const q = (phi: number) => {
    const s = Math.sin(phi)
    return (1 - e2) * (s / (1 - e2 * s * s) - Math.log((1 - e * s) / (1 + e * s)) / (2 * e))
  }
  const m2 = (phi: number) => Math.cos(phi) ** 2 / (1 - e2 * Math.sin(phi) ** 2)
  const n = (m2(rad(29.5)) - m2(rad(45.5))) / (q(rad(45.5)) - q(rad(29.5)))
  const c = m2(rad(29.5)) + n * q(rad(29.5))
  const rho = (phi: number) => (a * Math.sqrt(c - n * q(phi))) / n
  const theta = n * rad(lng + 96)
  return [rho(rad(lat)) * Math.sin(theta), rho(rad(23)) - rho(rad(lat)) * Math.cos(theta)]
}
