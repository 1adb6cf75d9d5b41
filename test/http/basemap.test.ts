import { VectorTile } from '@mapbox/vector-tile'
import { afterAll, expect, test } from 'bun:test'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PbfReader } from 'pbf'
import { noDeadline } from '../../src/async/deadline.ts'
import { Basemap } from '../../src/tiles/basemap.ts'
import type { TileJson, TileList } from '../../src/tiles/tile-json.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { sampleBasemap, sampleBounds } from '../support/sample-basemap.ts'
import { columnAndRowOf } from '../support/tile-position.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const file = join(packs, 'basemap.pmtiles')
const server = await openHttpService({ FIELDSTONE_PACKS: packs })
afterAll(() => server.close())

const denver = { lat: 39.7402, lng: -104.9903 }
const pathAt = (z: number, at = denver) => `/tiles/basemap/${z}/${columnAndRowOf(at, z).join('/')}.mvt`
const list = async () => (await (await server.ask('/tiles')).json()) as TileList

/** Replaces the file as a whole, as `mv` does. */
function replaceFile(bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes)
  renameSync(`${file}.new`, file)
}

test('Without the file, there is no base map, and the error says where to put it', async () => {
  expect((await list()).basemap).toBeNull()
  expect((await server.ask('/tiles/basemap')).status).toBe(404)
  const response = await server.ask(pathAt(14))
  expect([response.status, (await detailOf(response)).message]).toEqual([
    404,
    'This server has no base map. Put basemap.pmtiles into the packs folder.',
  ])
})

test('With the file, its tiles are served from this server, described as TileJSON', async () => {
  replaceFile(sampleBasemap(14, { leafEntries: 9 }))
  const description = (await (await server.ask('/tiles/basemap')).json()) as TileJson
  expect(description).toMatchObject({ name: 'A small town', minzoom: 0, maxzoom: 14, bounds: sampleBounds })
  expect(description.attribution).toBe('© OpenStreetMap')
  expect((await list()).basemap).toEqual(description)
  const response = await server.ask(pathAt(14))
  expect(response.headers.get('content-type')).toBe('application/vnd.mapbox-vector-tile')
  const { roads } = new VectorTile(new PbfReader(await response.arrayBuffer())).layers
  const names = Array.from({ length: roads!.length }, (_, i) => roads!.feature(i).properties.name)
  expect(names).toContain('Colfax Avenue')
  const etag = response.headers.get('etag')
  expect((await server.ask(pathAt(14), { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('Outside the area of the base map a tile is empty, and outside its zooms there is none', async () => {
  expect((await server.ask(pathAt(14, { lat: 25.79, lng: -80.13 }))).status).toBe(204)
  const response = await server.ask(pathAt(15))
  expect(response.status).toBe(404)
  expect((await detailOf(response)).message).toBe('The base map has tiles from zoom 0 to 14.')
})

test('A path that cannot be read is an error of the base map alone', async () => {
  rmSync(file)
  symlinkSync('basemap.pmtiles', file)
  const { items, basemap, basemap_error } = await list()
  rmSync(file)
  expect([items.length > 0, basemap]).toEqual([true, null])
  expect(basemap_error).toContain('cannot be read')
})

test('A request that is aborted while a damaged file is opened leaves no unhandled error', async () => {
  writeFileSync(file, 'not an archive')
  const unhandled: unknown[] = []
  const listen = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', listen)
  const damaged = 'The base map basemap.pmtiles is not a PMTiles archive. Replace the file.'
  const signals = [AbortSignal.abort(), noDeadline.signal, noDeadline.signal]
  const reasons: string[] = []
  // The error of an opening that nobody awaits would arrive as soon as the errors after it.
  for (const signal of signals)
    await new Basemap(packs).describe('http://localhost', signal).catch((error: Error) => reasons.push(error.message))
  process.off('unhandledRejection', listen)
  expect(unhandled).toEqual([])
  expect(reasons).toEqual([expect.stringContaining('aborted'), damaged, damaged])
})

test('A replaced file is used at once, and a damaged one is an error, not a map without streets', async () => {
  replaceFile(sampleBasemap(10))
  expect((await list()).basemap?.maxzoom).toBe(10)
  replaceFile(new TextEncoder().encode('not an archive'))
  const { items, basemap, basemap_error } = await list()
  expect(items.length > 0).toBe(true)
  expect(basemap).toBeNull()
  expect(basemap_error).toBe('The base map basemap.pmtiles is not a PMTiles archive. Replace the file.')
  for (const path of ['/tiles/basemap', pathAt(9)]) {
    const response = await server.ask(path)
    expect(response.status).toBe(503)
    expect(await detailOf(response)).toMatchObject({ error: 'basemap_unavailable', message: basemap_error })
  }
  rmSync(file)
  expect((await list()).basemap).toBeNull()
})
