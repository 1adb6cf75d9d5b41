import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PMTiles, zxyToTileId } from 'pmtiles'
import { openPmtiles, type PmtilesArchive } from '../../src/tiles/pmtiles-archive.ts'
import { decompress, PmtilesError, tileIdOf } from '../../src/tiles/pmtiles-format.ts'
import { writePmtiles, type WrittenTile } from '../support/pmtiles-writer.ts'

const { signal } = new AbortController()

function open(bytes: Uint8Array): Promise<PmtilesArchive> {
  return openPmtiles(async ({ offset, length }) => bytes.subarray(offset, offset + length), signal)
}

const text = (bytes: Uint8Array | null) => bytes && new TextDecoder().decode(bytes)

async function readText(archive: PmtilesArchive, z: number, x: number, y: number): Promise<string | null> {
  const bytes = await archive.readTile({ z, x, y }, signal)
  return text(bytes && decompress(bytes, archive.header.tileCompression))
}

/** All tiles of the zooms 0 to 4; each has its position as content. */
const allTiles: WrittenTile[] = [0, 1, 2, 3, 4].flatMap((z) =>
  Array.from({ length: 4 ** z }, (_, i) => {
    const [x, y] = [i % 2 ** z, Math.floor(i / 2 ** z)]
    return { z, x, y, bytes: new TextEncoder().encode(`${z}/${x}/${y}`) }
  }),
)

test('The number of a tile is that of the specification', () => {
  expect(
    [
      [0, 0, 0],
      [1, 0, 0],
      [1, 0, 1],
      [1, 1, 1],
      [1, 1, 0],
      [2, 0, 0],
      [12, 3423, 1763],
    ].map(([z, x, y]) => tileIdOf({ z: z!, x: x!, y: y! })),
  ).toEqual([0, 1, 2, 3, 4, 5, 19078479])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 22 }), fc.nat(), fc.nat(), (z, a, b) => {
      const [x, y] = [a % 2 ** z, b % 2 ** z]
      expect(tileIdOf({ z, x, y })).toBe(zxyToTileId(z, x, y))
    }),
  )
})

test.each([
  ['a root directory', {}],
  ['leaf directories', { leafEntries: 10 }],
  ['no compression', { isCompressed: false, leafEntries: 7 }],
])('Every tile of an archive with %s is read, as another reader does', async (_name, options) => {
  const bytes = writePmtiles(allTiles, { ...options, metadata: { name: 'all' } })
  const archive = await open(bytes)
  expect([archive.header.minzoom, archive.header.maxzoom, archive.metadata]).toEqual([0, 4, { name: 'all' }])
  const other = new PMTiles({
    getKey: () => 'written',
    getBytes: async (offset, length) => ({ data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer }),
  })
  for (const { z, x, y } of allTiles) {
    expect(await readText(archive, z, x, y)).toBe(`${z}/${x}/${y}`)
    expect(text(new Uint8Array((await other.getZxy(z, x, y))!.data))).toBe(`${z}/${x}/${y}`)
  }
})

test('A tile that the archive does not have is null', async () => {
  const archive = await open(writePmtiles(allTiles.filter(({ x }) => x % 2 === 0)))
  expect([await readText(archive, 4, 3, 3), await readText(archive, 4, 2, 3)]).toEqual([null, '4/2/3'])
})

describe('A damaged archive is rejected with what is wrong', () => {
  const whole = writePmtiles(allTiles, { leafEntries: 100 })
  const changed = (position: number, ...values: number[]) => {
    const bytes = whole.slice()
    bytes.set(values, position)
    return bytes
  }
  test.each([
    ['another file', new TextEncoder().encode('SQLite format 3'.padEnd(200)), /is not a PMTiles archive/],
    ['an empty file', new Uint8Array(), /is not a PMTiles archive/],
    ['version 2', changed(7, 2), /has version 2/],
    ['raster tiles', changed(99, 2), /no vector tiles/],
    ['brotli', changed(98, 3), /unsupported compression/],
    ['zooms in the wrong order', changed(100, 9, 3), /invalid zoom range: 9 to 3/],
    ['an impossible offset', changed(8, 255, 255, 255, 255, 255, 255, 255, 255), /size that is too large/],
    ['a large root directory', changed(16, 0, 0, 0, 255), /has a part of/],
    ['a damaged root directory', changed(127, 0, 0, 0), /damaged/],
    ['half of its bytes', whole.subarray(0, 140), /is incomplete/],
  ])('%s', async (_name, bytes, message) => {
    const error = await open(bytes).then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(PmtilesError)
    expect((error as Error).message).toMatch(message)
  })

  test('any change of a byte gives tiles or an error of the archive, and never ends in a loop', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (position, value) => {
        try {
          const archive = await open(changed(position, value))
          for (const [z, x, y] of [
            [0, 0, 0],
            [4, 3, 3],
            [4, 15, 15],
          ] as const)
            await archive.readTile({ z, x, y }, signal)
        } catch (error) {
          expect(error).toBeInstanceOf(PmtilesError)
        }
      }),
      { numRuns: 500 },
    ))
})
