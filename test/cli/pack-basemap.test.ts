import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PMTiles, type Source } from 'pmtiles'
import { sampleBasemap } from '../support/sample-basemap.ts'
import { columnAndRowOf } from '../support/tile-position.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const packs = join(folder, 'data', 'packs')
const copy = join(packs, 'basemap.pmtiles')
const whole = sampleBasemap(16, { leafEntries: 50 })
/** What the web server does with a request for tiles. */
let answerTiles: 'range' | 'damaged' | 'whole' | 'nothing' = 'range'
let archive = { bytes: whole, etag: '"1"' }
let sent_bytes = 0

const server = Bun.serve({
  port: 0,
  fetch(request) {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
    const headers: Record<string, string> = { etag: archive.etag }
    const isTiles = Number(to) - Number(from) > 0 && Number(from) >= tilesOffset
    if (isTiles && answerTiles === 'nothing') return new Promise<Response>(() => {})
    if (isTiles && answerTiles === 'whole') return new Response(archive.bytes, { headers })
    const bytes = archive.bytes.slice(Number(from), Number(to) + 1)
    if (isTiles && answerTiles === 'damaged') bytes.fill(7)
    sent_bytes += bytes.length
    headers['content-range'] = `bytes ${from}-${Number(from) + bytes.length - 1}/${archive.bytes.length}`
    return new Response(bytes, { status: 206, headers })
  },
})
const tilesOffset = Number(Buffer.from(whole).readBigUInt64LE(56))
const source = ['--source', `http://localhost:${server.port}/planet.pmtiles`]
const denver = ['--area=-104.993,39.737,-104.987,39.743']
const start = (words: string[], env: Record<string, string> = { FIELDSTONE_OFFLINE: '0' }) =>
  startFieldstone(['pack', ...words], env, folder)
const run = (words: string[], env?: Record<string, string>) => start(words, env).end()
const inPacks = () => readdirSync(packs).toSorted()

afterEach(() => {
  answerTiles = 'range'
  archive = { bytes: whole, etag: '"1"' }
  rmSync(packs, { recursive: true, force: true })
})
afterAll(() => server.stop(true))

/** An archive as the library of PMTiles reads it. */
function libraryArchive(bytes: Uint8Array): PMTiles {
  const reader: Source = {
    getKey: () => 'archive',
    getBytes: async (offset, length) => ({ data: new Uint8Array(bytes).slice(offset, offset + length).buffer }),
  }
  return new PMTiles(reader)
}

/** The tile at a place as the library reads it; null if there is none. */
async function tileAt(archiveOf: PMTiles, at: { lat: number; lng: number }, z: number): Promise<string | null> {
  const tile = await archiveOf.getZxy(z, ...columnAndRowOf(at, z))
  return tile ? Buffer.from(tile.data).toString('base64') : null
}

describe('`pack fetch basemap`', () => {
  test('copies the tiles of the area and all larger ones, and reads only parts of the archive', async () => {
    const unread = new Uint8Array(1_000_000)
    archive = { bytes: new Uint8Array(Buffer.concat([whole, unread])), etag: '"1"' }
    sent_bytes = 0
    const { code, out, err } = await run(['fetch', 'basemap', ...source, ...denver])
    expect([code, err.replaceAll(/^.* \d+ % .*$/gm, '').trim()]).toEqual([0, ''])
    expect(out).toMatch(/zooms 0 to 16: \d+ tiles, .* MB\. Attribution: © OpenStreetMap\./)
    expect(out).toMatch(/basemap\.pmtiles: \d+ tiles/)
    expect(inPacks()).toEqual(['basemap.pmtiles'])
    const [original, copied] = [libraryArchive(whole), libraryArchive(readFileSync(copy))]
    const inArea = { lat: 39.7402, lng: -104.9903 }
    for (let z = 0; z <= 16; z++) {
      const expected = await tileAt(original, inArea, z)
      expect([z, await tileAt(copied, inArea, z)]).toEqual([z, expected])
      expect(expected).not.toBeNull()
    }
    expect(await tileAt(copied, { lat: 39.775, lng: -104.935 }, 16)).toBeNull()
    expect(await tileAt(original, { lat: 39.775, lng: -104.935 }, 16)).not.toBeNull()
    expect(await copied.getHeader()).toMatchObject({ minZoom: 0, maxZoom: 16 })
    expect(await copied.getMetadata()).toEqual(await original.getMetadata())
    expect(readFileSync(copy).length).toBeLessThan(whole.length)
    expect(sent_bytes).toBeLessThan(unread.length / 2)
  })

  test('copies from a file without a network, up to a zoom', async () => {
    const file = join(folder, 'town.pmtiles')
    writeFileSync(file, whole)
    const { code, out } = await run(['fetch', 'basemap', '--source', file, ...denver, '--maxzoom', '12'], {})
    expect([code, out.match(/zooms 0 to 12/)?.[0]]).toEqual([0, 'zooms 0 to 12'])
    expect(await libraryArchive(readFileSync(copy)).getHeader()).toMatchObject({ maxZoom: 12 })
    expect((await run(['remove', 'basemap'])).out).toBe(`Removed ${copy}.\n`)
    expect(inPacks()).toEqual([])
  })

  test('continues after kill -9, and gives the same bytes as without it', async () => {
    await run(['fetch', 'basemap', ...source, ...denver])
    const expected = readFileSync(copy)
    rmSync(packs, { recursive: true })
    answerTiles = 'nothing'
    const killed = start(['fetch', 'basemap', ...source, ...denver])
    while (!existsSync(packs) || inPacks().length === 0) await Bun.sleep(5)
    killed.signal('SIGKILL')
    await killed.end()
    expect(inPacks()).toEqual([expect.stringMatching(/^\.basemap\.pmtiles-\w+\.part$/)])
    answerTiles = 'range'
    expect((await run(['fetch', 'basemap', ...source, ...denver])).code).toBe(0)
    expect(inPacks()).toEqual(['basemap.pmtiles'])
    expect(readFileSync(copy).equals(expected)).toBe(true)
  })

  test('never replaces the base map in use by a damaged copy', async () => {
    await run(['fetch', 'basemap', ...source, ...denver, '--maxzoom', '12'])
    const inUse = readFileSync(copy)
    answerTiles = 'damaged'
    const { code, err } = await run(['fetch', 'basemap', ...source, ...denver])
    expect([code, err.includes('has damaged tiles.') || err]).toEqual([1, true])
    expect(readFileSync(copy).equals(inUse)).toBe(true)
  })

  test('copies from a server that ignores ranges', async () => {
    answerTiles = 'whole'
    expect((await run(['fetch', 'basemap', ...source, ...denver])).code).toBe(0)
    const inArea = { lat: 39.7402, lng: -104.9903 }
    expect(await tileAt(libraryArchive(readFileSync(copy)), inArea, 16)).toBe(
      await tileAt(libraryArchive(whole), inArea, 16),
    )
  })

  test.each([
    [['fetch', 'basemap', ...denver], 64, /Name the base map to copy from: --source/],
    [['fetch', 'basemap', '--source', 'missing.pmtiles', ...denver], 64, /the file missing.pmtiles does not exist/],
    [['fetch', 'basemap', ...source, ...denver, '--maxzoom', '17'], 64, /--maxzoom "17" .* zooms 0 to 16\./],
    [['fetch', 'basemap', ...source, '--area=-80.14,25.78,-80.13,25.79', '--maxzoom', 'x'], 64, /--maxzoom "x"/],
    [['fetch', 'basemap', ...source], 64, /--area/],
    [['fetch', 'basemap', ...source, ...denver, '--verify', '3'], 64, /does not take --verify/],
    [['plan', 'basemap', '--source', 'ftp://a.example/b', ...denver], 64, /Use an http or https URL, or a file\./],
  ] as const)('%p is rejected', async (words, expected, message) => {
    const { code, err } = await run([...words])
    expect([code, message.test(err) || err]).toEqual([expected, true])
  })

  test('a file that is no base map is rejected, and a URL without a network', async () => {
    archive = { bytes: new Uint8Array(20_000), etag: '"2"' }
    expect((await run(['fetch', 'basemap', ...source, ...denver])).err).toContain(
      'planet.pmtiles is not a PMTiles archive',
    )
    archive = { bytes: sampleBasemap(3, { metadata: { vector_layers: [{ id: 'other' }] } }), etag: '"3"' }
    expect((await run(['fetch', 'basemap', ...source, ...denver])).err).toContain('Protomaps schema')
    expect((await run(['fetch', 'basemap', ...source, ...denver], {})).err).toContain('FIELDSTONE_OFFLINE=1')
  })
})

test('`pack plan basemap` prints the size and writes nothing', async () => {
  const { code, out } = await run(['plan', 'basemap', ...source, ...denver, '--json'])
  const plan = JSON.parse(out) as { maxzoom: number; tiles: number; bytes: number }
  expect([code, plan.maxzoom, plan.tiles > 17]).toEqual([0, 16, true])
  expect(() => inPacks()).toThrow()
  await run(['fetch', 'basemap', ...source, ...denver])
  expect(readFileSync(copy).length).toBe(plan.bytes)
})
