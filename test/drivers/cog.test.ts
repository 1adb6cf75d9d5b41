import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { cogDriver } from '../../src/drivers/raster/cog.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import { tileNameOf } from '../../src/drivers/raster/cog.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Point } from '../../src/model/place.ts'
import type { Budget, Grid, RasterQuery } from '../../src/model/source.ts'
import type { Call, HttpClient } from '../../src/net/http-client.ts'
import { cellsWithinRadius } from '../../src/operators/raster/cells.ts'
import { buildGeotiff, type TiffSpec } from '../raster/build-geotiff.ts'
import { rejectionCode, rasterBudget, openTestRasters } from '../raster/test-rasters.ts'

const rasters = openTestRasters()
afterAll(() => rasters.close())

type Serve = (request: Request, file: Uint8Array<ArrayBuffer>) => Response
const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

/** A file server that records its requests. */
function filesOf(files: Record<string, Uint8Array<ArrayBuffer>>, serve: Serve = ranged) {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1))
      requests.push(`${name} ${request.headers.get('range')}`)
      const file = files[name]
      return file ? serve(request, file) : new Response('<Error><Code>NoSuchKey</Code></Error>', { status: 404 })
    },
  })
  closing.push(() => server.stop(true))
  return { url: `http://localhost:${server.port}`, requests, files }
}

function ranged(request: Request, file: Uint8Array<ArrayBuffer>): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range')!)!.map(Number) as [
    number,
    number,
    number,
  ]
  if (from >= file.length) return new Response(null, { status: 416 })
  const piece = file.subarray(from, to + 1)
  return new Response(piece, {
    status: 206,
    headers: { 'content-range': `bytes ${from}-${from + piece.length - 1}/${file.length}`, etag: '"1"' },
  })
}

/** Sends a request without retries; throws for statuses that are neither 2xx nor accepted. */
async function send({ url, headers = {}, acceptedStatuses = [], cap_bytes = Infinity }: Call, { signal }: Budget) {
  const reply = await fetch(url, { headers, signal })
  if (!reply.ok && !acceptedStatuses.includes(reply.status))
    throw new UpstreamError('upstream_rejected', `The server answered ${reply.status}.`)
  const bytes = await reply.bytes()
  if (bytes.length > cap_bytes) throw new UpstreamError('too_large', 'The answer is too large.')
  return { status: reply.status, headers: reply.headers, bytes }
}
const deps = { net: { send } as unknown as HttpClient, rasters } as DriverDeps

type Config = Parameters<typeof cogDriver.open>[0]
function opened(config: Config): (query: RasterQuery) => Promise<Grid> {
  const { source } = cogDriver.open(config, 'raster', deps, { id: 'dem', key: null, ttl_seconds: 60 })!
  return (query) => (source as (query: RasterQuery, budget: Budget) => Promise<Grid>)(query, rasterBudget)
}

const one: TiffSpec = { width: 200, height: 200, tile: 64, value: (x, y) => x + 1000 * y }
const at: Point = { lat: 39.005, lng: -98.995 }
const cell = 100 + 1000 * 99
const window = { at, radius_cells: 0 }

describe('one remote file', () => {
  test('is read by ranges: its header and the tiles of the window', async () => {
    const server = filesOf({ 'a.tif': buildGeotiff(one) })
    const read = opened({ asset: `${server.url}/a.tif`, band: 1 })
    expect((await read(window)).cells).toEqual([cell])
    const first = server.requests.length
    expect(server.requests[0]).toBe('a.tif bytes=0-32767')
    expect((await read({ at, radius_cells: 1 })).cells[4]).toBe(cell)
    expect(server.requests.length).toBe(first)
  })

  test('is downloaded completely, and once, if the server does not support ranges', async () => {
    const server = filesOf({ 'a.tif': buildGeotiff(one) }, (_request, file) => new Response(file))
    const read = opened({ asset: `${server.url}/a.tif`, band: 1 })
    for (const lat of [39.005, 38.105, 39.905]) await read({ at: { lat, lng: -98.995 }, radius_cells: 1 })
    expect((await read(window)).cells).toEqual([cell])
    expect(server.requests).toHaveLength(1)
  })

  test('may lack a coordinate system if the catalog defines it', async () => {
    const server = filesOf({ 'a.tif': buildGeotiff({ ...one, epsg: 0 }) })
    expect((await opened({ asset: `${server.url}/a.tif`, band: 1, crs: 'EPSG:4269' })(window)).cells).toEqual([cell])
    expect(await rejectionCode(opened({ asset: `${server.url}/a.tif`, band: 1 })(window))).toBe('bad_response')
  })

  test('uses the nodata values and the band of the catalog', async () => {
    const server = filesOf({
      'a.tif': buildGeotiff({ ...one, bands: 2, value: (_x, _y, band) => (band === 0 ? 7 : -999_999), nodata: '-1' }),
    })
    expect((await opened({ asset: `${server.url}/a.tif`, band: 1, nodata: [-999_999] })(window)).cells).toEqual([7])
    expect((await opened({ asset: `${server.url}/a.tif`, band: 2, nodata: [-999_999] })(window)).cells).toEqual([null])
    expect((await opened({ asset: `${server.url}/a.tif`, band: 2 })(window)).cells).toEqual([-999_999])
  })

  test('fails if it is missing', async () => {
    const server = filesOf({})
    expect(await rejectionCode(opened({ asset: `${server.url}/a.tif`, band: 1 })(window))).toBe('upstream_rejected')
  })

  test('has only one edition and one level', async () => {
    const read = opened({ asset: 'http://localhost:9/a.tif', band: 1 })
    expect(await rejectionCode(read({ ...window, edition: -1 }))).toBe('unsupported_request')
    expect(await rejectionCode(read({ ...window, level: 2 }))).toBe('unsupported_request')
  })

  const faults: [string, Serve][] = [
    [
      'a range is shorter than requested',
      (request, file) => {
        const it = ranged(request, file)
        return new Response(file.subarray(0, 100), {
          status: 206,
          headers: { 'content-range': it.headers.get('content-range')! },
        })
      },
    ],
    [
      'a range response has no Content-Range',
      (request, file) => new Response(ranged(request, file).body, { status: 206 }),
    ],
    [
      'another range is returned',
      (_request, file) =>
        new Response(file.subarray(5, 32_773), {
          status: 206,
          headers: { 'content-range': `bytes 5-32772/${file.length}` },
        }),
    ],
    [
      'the header is truncated although the file continues',
      (_request, file) =>
        new Response(file.subarray(0, 1000), {
          status: 206,
          headers: { 'content-range': `bytes 0-999/${file.length}` },
        }),
    ],
    ['the server answers 416', () => new Response(null, { status: 416 })],
    ['a page is returned instead', () => new Response('<html>Please log in to the network</html>')],
    [
      'the file changes between two reads',
      (request, file) => {
        const it = ranged(request, file)
        it.headers.set('etag', `"${request.headers.get('range')}"`)
        return it
      },
    ],
    ['the file is truncated', (request, file) => ranged(request, file.slice(0, 100_000))],
  ]
  test.each(faults)('fails as bad_response when %s', async (_name, serve) => {
    const server = filesOf({ 'a.tif': buildGeotiff(one) }, serve)
    expect(await rejectionCode(opened({ asset: `${server.url}/a.tif`, band: 1 })(window))).toBe('bad_response')
  })

  test('is opened again after it changed', async () => {
    const files: Record<string, Uint8Array<ArrayBuffer>> = { 'a.tif': buildGeotiff(one) }
    let etag = '"1"'
    const server = filesOf(files, (request, file) => {
      const it = ranged(request, file)
      it.headers.set('etag', etag)
      return it
    })
    const read = opened({ asset: `${server.url}/a.tif`, band: 1 })
    expect((await read(window)).cells).toEqual([cell])
    ;[server.files['a.tif'], etag] = [buildGeotiff({ ...one, value: () => 5 }), '"2"']
    const elsewhere = { at: { lat: 38.105, lng: -99.9 }, radius_cells: 0 }
    expect(await rejectionCode(read(elsewhere))).toBe('bad_response')
    expect((await read(elsewhere)).cells).toEqual([5])
    expect((await read(window)).cells).toEqual([5])
  })
})

test('without a network the driver does not open', () => {
  expect(
    cogDriver.open(
      { asset: 'https://example.test/a.tif', band: 1 },
      'raster',
      { ...deps, net: null },
      { id: 'dem', key: null, ttl_seconds: 60 },
    ),
  ).toBeNull()
  expect(
    cogDriver.open({ asset: 'https://example.test/{tile}.tif', band: 1 }, 'raster', deps, {
      id: 'dem',
      key: null,
      ttl_seconds: 60,
    }),
  ).toMatchObject({ remote: { host: 'example.test' }, vintage: null })
})

describe('tiles are named after their north-west corner', () => {
  const usgs = { degrees: 1, name: '{ns}{lat:2}{ew}{lon:3}' }
  const gsw = { degrees: 10, name: '{lon}{EW}_{lat}{NS}' }
  test.each([
    [usgs, { lat: 33.7, lng: -84.4 }, 'n34w085'],
    [usgs, { lat: 34, lng: -85 }, 'n34w085'],
    [usgs, { lat: 61.2, lng: -149.9 }, 'n62w150'],
    [usgs, { lat: -14.3, lng: -170.7 }, 's14w171'],
    [usgs, { lat: 13.4, lng: 144.8 }, 'n14e144'],
    [usgs, { lat: 9.5, lng: -0.5 }, 'n10w001'],
    [gsw, { lat: 25.8, lng: -80.2 }, '90W_30N'],
    [gsw, { lat: 25.8, lng: -79.9 }, '80W_30N'],
    [gsw, { lat: -14.3, lng: -170.7 }, '180W_10S'],
    [gsw, { lat: -5, lng: 5 }, '0E_0N'],
    [gsw, { lat: 13.4, lng: 144.8 }, '140E_20N'],
  ] as const)('%o at %o is %s', (rule, at, name) => expect(tileNameOf(rule, at)).toBe(name))
})

describe('a tiled raster', () => {
  const tile = { degrees: 1, name: '{ns}{lat}{ew}{lon}' }
  /** The value of a cell encodes its column from 110 W and its row from 50 N, in hundredths of a degree. */
  const piece = (lat: number, lng: number, form: Partial<TiffSpec> = {}): Uint8Array<ArrayBuffer> => {
    const [west, north] = [Math.round((lng + 110) * 100), Math.round((50 - lat) * 100)]
    return buildGeotiff({
      width: 100,
      height: 100,
      tile: 32,
      type: 'int32',
      origin: [lng, lat],
      value: (x, y) => (north + y) * 10_000 + west + x,
      ...form,
    })
  }
  const valueAt = ({ lat, lng }: Point) =>
    Math.floor((50 - lat) * 100 + 1e-9) * 10_000 + Math.floor((lng + 110) * 100 + 1e-9)

  test('is read only from the tile that contains the point', async () => {
    const server = filesOf({ n40w100: piece(40, -100), n40w99: piece(40, -99) })
    const at = { lat: 39.505, lng: -98.505 }
    expect((await opened({ asset: `${server.url}/{tile}`, band: 1, tile })({ at, radius_cells: 1 })).cells[4]).toBe(
      valueAt(at),
    )
    expect(new Set(server.requests.map((it) => it.split(' ')[0]))).toEqual(new Set(['n40w99']))
  })

  test('is read across the edge of a tile and across the corner of four', async () => {
    const server = filesOf({
      n40w100: piece(40, -100),
      n40w99: piece(40, -99),
      n39w100: piece(39, -100),
      n39w99: piece(39, -99),
    })
    const read = opened({ asset: `${server.url}/{tile}`, band: 1, tile })
    for (const at of [
      { lat: 39.503, lng: -99.003 },
      { lat: 39.503, lng: -98.997 },
      { lat: 39.003, lng: -99.003 },
      { lat: 38.997, lng: -98.997 },
      { lat: 39, lng: -99 },
    ]) {
      for (const query of [
        { at, radius_cells: 1 },
        { at, radius_cells: 0, radius_m: 3000 },
      ]) {
        const { cells, width, height, at_x, at_y } = await read(query)
        const [column, row] = [Math.floor(at_x), Math.floor(at_y)]
        const middle = { x: Math.floor((at.lng + 110) * 100 + 1e-9), y: Math.floor((50 - at.lat) * 100 + 1e-9) }
        expect(cells).toEqual(
          Array.from(
            { length: width * height },
            (_, n) => (middle.y + Math.floor(n / width) - row) * 10_000 + middle.x + (n % width) - column,
          ),
        )
      }
    }
  })

  test('requests one file if tiles overlap and the window is small', async () => {
    const server = filesOf({
      n40w100: piece(40.06, -100.06, { width: 112, height: 112 }),
      n40w99: piece(40.06, -99.06, { width: 112, height: 112 }),
    })
    const at = { lat: 39.505, lng: -99.005 }
    expect((await opened({ asset: `${server.url}/{tile}`, band: 1, tile })({ at, radius_cells: 1 })).cells[4]).toBe(
      valueAt(at),
    )
    expect(new Set(server.requests.map((it) => it.split(' ')[0]))).toEqual(new Set(['n40w100']))
  })

  test('has no data beyond an edge without a file or with a file on another grid', async () => {
    const at = { lat: 39.505, lng: -99.005 }
    for (const files of [{ n40w100: piece(40, -100) }, { n40w100: piece(40, -100), n40w99: piece(40, -98.995) }]) {
      const { cells } = await opened({ asset: `${filesOf(files).url}/{tile}`, band: 1, tile, absent })({
        at,
        radius_cells: 1,
      })
      expect(cells.map((it) => it === null)).toEqual([false, false, true, false, false, true, false, false, true])
    }
  })

  const absent = { statuses: [403, 404], text: '<Code>(NoSuchKey|AccessDenied)</Code>' }

  test.each([404, 403])('has no data where the server has no file (%d)', async (status) => {
    const server = filesOf(
      { n40w100: piece(40, -100) },
      () => new Response('<Error><Code>AccessDenied</Code></Error>', { status }),
    )
    const read = opened({ asset: `${server.url}/{tile}`, band: 1, tile, absent })
    expect((await read({ at: { lat: 39.5, lng: -99.5 }, radius_cells: 0 })).cells).toEqual([null])
    const grid = await read({ at: { lat: 39.5, lng: -99.5 }, radius_cells: 1, radius_m: 5000 })
    expect(cellsWithinRadius(grid, 5000).every((cell) => cell === null)).toBe(true)
  })

  test('fails where the server has no file, if its record does not say what that means', async () => {
    const server = filesOf({ n40w100: piece(40, -100) })
    const read = opened({ asset: `${server.url}/{tile}`, band: 1, tile })
    expect(await rejectionCode(read({ at: { lat: 39.5, lng: -98.5 }, radius_cells: 0 }))).toBe('upstream_rejected')
  })

  test('fails if the server rejects the request (403) for another reason', async () => {
    const server = filesOf(
      { n40w100: piece(40, -100) },
      () => new Response('Your address is blocked.', { status: 403 }),
    )
    const read = opened({ asset: `${server.url}/{tile}`, band: 1, tile, absent })
    expect(await rejectionCode(read({ at: { lat: 39.5, lng: -99.5 }, radius_cells: 0 }))).toBe('upstream_rejected')
  })

  test('still has the cells of the adjacent tile at a point without a file', async () => {
    const server = filesOf({ n40w100: piece(40, -100) })
    const at = { lat: 39.5, lng: -98.995 }
    const grid = await opened({ asset: `${server.url}/{tile}`, band: 1, tile, absent })({
      at,
      radius_cells: 0,
      radius_m: 3000,
    })
    const cells = cellsWithinRadius(grid, 3000)
    expect(cells.some((cell) => cell !== null) && cells.some((cell) => cell === null)).toBe(true)
  })

  test('is read across the antimeridian', async () => {
    const server = filesOf({ n52e179: piece(52, 179), n52w180: piece(52, -180) })
    const { cells } = await opened({ asset: `${server.url}/{tile}`, band: 1, tile })({
      at: { lat: 51.505, lng: 179.995 },
      radius_cells: 1,
    })
    const [row, east, west] = [-151 * 10_000, 28_998, -7000]
    expect(cells.slice(3, 6)).toEqual([row + east, row + east + 1, row + west])
  })

  test('fails if an adjacent tile fails', async () => {
    const server = filesOf({ n40w100: piece(40, -100), n40w99: new Uint8Array(5000) })
    expect(
      await rejectionCode(
        opened({ asset: `${server.url}/{tile}`, band: 1, tile })({ at: { lat: 39.5, lng: -99.005 }, radius_cells: 1 }),
      ),
    ).toBe('bad_response')
  })
})
