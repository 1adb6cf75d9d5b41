import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { cogDriver } from '../../../src/drivers/raster/cog.ts'
import type { Harvester } from '../../../src/drivers/harvest.ts'
import { imageserverDriver } from '../../../src/drivers/imageserver/imageserver.ts'
import { openFolderJournal } from '../../../src/build-packs/harvest/journal.ts'
import { createPoliteClient } from '../../../src/build-packs/harvest/polite-client.ts'
import { readJsonBody } from '../../../src/net/content.ts'
import { openHttpClient, type HttpClient, type Reply } from '../../../src/net/http-client.ts'
import { openRasters } from '../../../src/raster/rasters.ts'
import { workers } from '../../../src/workers.ts'
import { buildGeotiff } from '../../raster/build-geotiff.ts'
import { imageServer } from '../../upstreams/rasters/imageserver.ts'
import { answerRange } from '../../upstreams/rasters/files.ts'
import type { SimulatedRaster } from '../../upstreams/rasters/raster.ts'
import type { SimulatedService } from '../../upstreams/service.ts'
import { openUpstreams } from '../../upstreams/upstreams.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()
const rasters = openRasters({ startWorker: workers.raster })
afterAll(() => rasters.close())
const host = 'rasters.example'
const box = { w: -105.3, s: 40, e: -105.2, n: 40.05 }
const noBudget = { signal: new AbortController().signal }
let folders = 0

type Deps = Parameters<NonNullable<typeof cogDriver.harvest>>[1]

/** Copies the box, and opens the copy. */
async function copyBox(
  services: SimulatedService[],
  harvesterOf: (deps: Deps) => Harvester | null,
  folder = join(root, String(++folders)),
) {
  const upstreams = openUpstreams({ services })
  const now = () => new Date('2026-11-22T12:00:00Z')
  const options = { mirror: upstreams.url, userAgent: 'test', catalogHosts: new Set([host]), now, random: Math.random }
  const client = openHttpClient(options)
  const net = createPoliteClient(client, { wait: () => Promise.resolve(), onReply() {} })
  const journal = openFolderJournal(folder, { now: () => new Date(), onPage() {} })
  try {
    const harvester = harvesterOf({ net, now })
    if (harvester?.shape !== 'raster') throw new Error('expected a raster')
    const path = join(folder, 'copy.tif')
    const copied = await harvester.copy([box], journal, noBudget, path)
    return { copied, raster: await rasters.openFile(path), calls: upstreams.calls.length }
  } finally {
    client.close()
    upstreams.close()
  }
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: Error) => error.message,
  )
const cellAt = async (raster: Awaited<ReturnType<typeof copyBox>>['raster'], lat: number, lng: number) =>
  (await raster.window({ at: { lat, lng }, radius_cells: 0 }, {}, noBudget)).cells[0]

/** A value for each place, different in neighboring cells. */
const truth = (x: number, y: number) => (x * 31 + y * 17) % 250

const cell = 1 / 4_000
/** A file that is larger than what is read with its header. */
const fileOf = (height: number): Uint8Array =>
  buildGeotiff({
    headFirst: true,
    width: 400,
    height,
    tile: 64,
    type: 'uint8',
    nodata: '255',
    epsg: 4326,
    origin: [-105.3, 40.1],
    step: [cell, -cell],
    value: truth,
  })
const file = fileOf(400)
const fileService = (fileAt: (request: number) => Uint8Array | null): SimulatedService => {
  let requests = 0
  return {
    host,
    answer(request) {
      const found = fileAt(++requests)
      return found ? answerRange(request, found) : null
    },
  }
}
const cog = (asset: string) => (deps: Deps) =>
  cogDriver.harvest!({ asset: `https://${host}${asset}`, band: 1 }, deps, {
    id: 'r',
    attributes: undefined,
    levels: [],
    editions: [0],
    apiKey: null,
    keyField: null,
    counties: [],
  })

test('A raster file is copied by its own cells, and asked for nothing twice', async () => {
  const folder = join(root, 'cog')
  const { raster, copied } = await copyBox([fileService(() => file)], cog('/a.tif'), folder)
  for (const [lat, lng] of [
    [40.0006, -105.2994],
    [40.0256, -105.2504],
    [40.0494, -105.2006],
  ] as const) {
    const [x, y] = [Math.floor((lng + 105.3) / cell), Math.floor((40.1 - lat) / cell)]
    expect(await cellAt(raster, lat, lng)).toBe(truth(x, y))
  }
  expect(raster.crs).toBe('EPSG:4326')
  expect(copied.cells).toBeGreaterThan(5_000)
  const again = await copyBox([fileService(() => null)], cog('/a.tif'), folder)
  expect(again.calls).toBe(0)
})

test('A raster file that changes while it is copied is caught', async () => {
  const changing = fileService((request) => (request < 3 ? file : fileOf(464)))
  expect(await messageOf(copyBox([changing], cog('/a.tif')))).toContain('changed while it was being read')
})

const service: SimulatedRaster = {
  host,
  path: '/arcgis/rest/services/Made_Up/ImageServer',
  pixelType: 'U8',
  covers: ['CONUS'],
  value: ({ lat, lng }) => truth(Math.floor(lng * 200) + 40_000, Math.floor(lat * 200)),
}
const imageServerHarvest = (deps: Deps) =>
  imageserverDriver.harvest!({ endpoint: `https://${host}${service.path}` }, deps, {
    id: 'r',
    attributes: undefined,
    levels: [],
    editions: [0],
    apiKey: null,
    keyField: null,
    counties: [],
  })
const withExport = (lie: SimulatedRaster): SimulatedService => ({
  host,
  answer: (request) => imageServer(request.path.endsWith('exportImage') ? lie : service).answer(request),
})

test('An image service is copied by the cells of its own grid, with its values', async () => {
  const { raster } = await copyBox([imageServer(service)], imageServerHarvest)
  expect(raster.crs).toBe('EPSG:3857')
  for (const [lat, lng] of [
    [40.0013, -105.2987],
    [40.0263, -105.2513],
  ] as const)
    expect(await cellAt(raster, lat, lng)).toBe(service.value({ lat, lng }, 0))
})

test('The years of an image service are read without a deadline of their own, which would end while a copy waits for its turn', async () => {
  const signals = new Set<AbortSignal>()
  const years = { fields: [], features: [{ attributes: { year: 2_024 } }, { attributes: { year: 2_023 } }] }
  const about = {
    extent: { xmin: -120, ymin: 30, xmax: -100, ymax: 50 },
    spatialReference: { wkid: 4_326 },
    pixelSizeX: 1,
    pixelSizeY: 1,
    pixelType: 'U8',
    bandCount: 1,
  }
  const reply = (body: unknown): Reply => ({
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    bytes: new TextEncoder().encode(JSON.stringify(body)),
  })
  const send: HttpClient['send'] = ({ url }, { signal }) => {
    signals.add(signal)
    if (/exportImage|identify/.test(url)) throw new Error('The years are known.')
    return Promise.resolve(reply(url.includes('/query?') ? years : about))
  }
  const net: HttpClient = {
    send,
    fetchJson: async (call, budget) => readJsonBody(await send(call, budget), host),
    fetchText: () => expect.unreachable(),
    health: () => null,
    close() {},
  }
  const harvester = imageserverDriver.harvest!(
    { endpoint: `https://${host}${service.path}`, edition_attribute: 'year' },
    { net, now: () => new Date() },
    { id: 'r', attributes: undefined, levels: [], editions: [0, -1], apiKey: null, keyField: null, counties: [] },
  )
  if (harvester?.shape !== 'raster') throw new Error('expected a raster')
  const journal = openFolderJournal(join(root, 'years'), { now: () => new Date(), onPage() {} })
  expect(await messageOf(harvester.copy([box], journal, noBudget, join(root, 'years.tif')))).toBe(
    'The years are known.',
  )
  expect([...signals]).toEqual([noBudget.signal])
})

test('A deadline that expires while a request waits for its turn is a timeout of the host', async () => {
  const controller = new AbortController()
  const send = () => {
    controller.abort(new DOMException('The operation timed out.', 'TimeoutError'))
    return Promise.reject(controller.signal.reason as Error)
  }
  const net = createPoliteClient({ send, health: () => null }, { wait: () => Promise.resolve(), onReply() {} })
  expect(await messageOf(net.send({ url: `https://${host}/` }, controller))).toBe(`${host} did not respond in time.`)
})

test('An image service that exports other values than it answers is caught', async () => {
  const resampled = withExport({ ...service, value: () => 7 })
  expect(await messageOf(copyBox([resampled], imageServerHarvest))).toMatch(/exports 7 at .*, but answers \d+ there/)
  const rendered = withExport({ ...service, pixelType: 'F32' })
  expect(await messageOf(copyBox([rendered], imageServerHarvest))).toContain('cells that were requested')
})
