import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { layOutLayer } from '../../scripts/embed/lay-out.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { resolveEmbeddedFile, unpackOnce } from '../../src/packs/embedded/embedded-file.ts'
import {
  encodePacked,
  indexedBlocks,
  type EmbeddedLayout,
  type IndexedLayout,
} from '../../src/packs/embedded/embedded-layout.ts'
import { decodeLayout, joinBlocks } from '../../src/packs/embedded/layout-file.ts'
import { unpackInWorker, workers } from '../../src/workers.ts'
import { createGeopackage } from './create-geopackage.ts'
import { blob, boxRing, pointWkb, polygonWkb } from './encode-wkb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()
let folders = 0
const newFolder = () => join(root, String(++folders))

const layoutOf = (NAME: string): EmbeddedLayout => {
  const areas = [{ geom: blob(polygonWkb(boxRing(-106, 39, -104, 40))), attributes: { NAME } }]
  const towns = [{ geom: blob(pointWkb([-105, 39])), attributes: { NAME: 'town' } }]
  return {
    manifest: [],
    layers: {
      areas: layOutLayer(createGeopackage({ areas }), 'areas'),
      towns: layOutLayer(createGeopackage({ towns }), 'towns'),
    },
    grids: {},
    words: new Uint8Array(0),
  }
}
const encodeIndexed = (it: EmbeddedLayout) => joinBlocks(indexedBlocks(it))
const layout = layoutOf('area')
const data = encodeIndexed(layout)
const compress = (file: Uint8Array<ArrayBuffer>) =>
  Bun.zstdCompressSync(encodePacked(decodeLayout<IndexedLayout>(file)))
const compressed = compress(data)
const sumOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const unpacked = (folder: string) => unpackOnce(() => compressed, sumOf(data), folder)
const neverRead = () => {
  throw new Error('not read again')
}

test('from source, the embedded data is the file in dist, and nothing is unpacked', () => {
  const folder = newFolder()
  expect(resolveEmbeddedFile({ root: '/the/code', dataFolder: folder, sha256: null })).toBe(
    join('/the/code', 'dist', 'embedded.bin'),
  )
  expect(existsSync(folder)).toBe(false)
})

test('the executable contains the indexes without the edges of layers', () => {
  const packed = decodeLayout<IndexedLayout>(encodePacked(decodeLayout<IndexedLayout>(data)))
  expect(packed.indexes.areas!.rows).not.toBeNull()
  expect(packed.indexes.towns!.edges).toBeNull()
})

describe('unpacking', () => {
  test('writes the file that the build made, and creates the folder', () => {
    const folder = join(newFolder(), 'data')
    const file = unpacked(folder) as string
    expect(readFileSync(file).equals(data)).toBe(true)
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file])
    const [area] = openEmbeddedData(file)
      .layer('areas')
      .query({ at: { lat: 39.5, lng: -105 }, radius_m: 0 })
    expect(area!.properties).toEqual({ NAME: 'area' })
  })

  test('restricts folder and file to the owner', () => {
    const folder = newFolder()
    const file = unpacked(folder) as string
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  })

  test('happens once: the same data use the same file, which is not written again', () => {
    const folder = newFolder()
    const first = unpacked(folder) as string
    const before = statSync(first, { bigint: true })
    expect(unpackOnce(neverRead, sumOf(data), folder)).toBe(first)
    const after = statSync(first, { bigint: true })
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
  })

  test('writes other data to another file', () => {
    const folder = newFolder()
    const other = layoutOf('other area')
    unpacked(folder)
    const file = unpackOnce(() => compress(encodeIndexed(other)), sumOf(encodeIndexed(other)), folder)
    expect(readFileSync(file as string).equals(encodeIndexed(other))).toBe(true)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test.each([
    ['is cut', (file: string) => truncateSync(file, data.length - 1)],
    ['is cut within its header', (file: string) => truncateSync(file, 10)],
    ['is empty', (file: string) => truncateSync(file, 0)],
    ['has a wrong byte at its end', (file: string) => damage(file, data.length - 100)],
    ['has a wrong byte in its directory', (file: string) => damage(file, 70)],
    ['has a wrong checksum', (file: string) => damage(file, 25)],
    ['has another format version', (file: string) => damage(file, 8)],
    ['has the byte order of another processor', (file: string) => damage(file, 12)],
    ['does not begin as it should', (file: string) => damage(file, 0)],
  ])('writes the file again if it %s', (_name, spoil) => {
    const folder = newFolder()
    spoil(unpacked(folder) as string)
    expect(() => unpackOnce(neverRead, sumOf(data), folder)).toThrow('not read again')
    expect(readFileSync(unpacked(folder) as string).equals(data)).toBe(true)
  })

  test('ignores the unfinished file of another process', () => {
    const folder = newFolder()
    mkdirSync(folder)
    const name = basename(unpacked(newFolder()) as string)
    writeFileSync(join(folder, `${name}.99999`), 'half a fi')
    expect(readFileSync(unpacked(folder) as string).equals(data)).toBe(true)
  })

  test('returns the bytes if the folder cannot be created', () => {
    const file = newFolder()
    writeFileSync(file, 'in the way')
    const bytes = unpacked(join(file, 'data'))
    expect(bytes).toEqual(data)
    expect(openEmbeddedData(bytes).layer('areas').features).toBe(1)
  })

  test('returns the bytes if the disk is full, and leaves nothing behind', () => {
    const folder = newFolder()
    mkdirSync(folder)
    const name = basename(unpacked(newFolder()) as string)
    symlinkSync('/dev/full', join(folder, `${name}.${process.pid}`))
    expect(unpacked(folder)).toEqual(data)
    expect(readdirSync(folder)).toEqual([])
  })

  test('in a worker gives the same file, or the bytes if no file can be written', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, 'embedded.bin.zst'), compressed)
    const location = { root: folder, dataFolder: join(folder, 'data'), sha256: sumOf(data) }
    const file = await unpackInWorker(location, workers.unpack)
    expect(readFileSync(file as string).equals(data)).toBe(true)
    expect(await unpackInWorker(location, () => expect.unreachable())).toBe(file)
    expect(await unpackInWorker({ ...location, dataFolder: join(file as string, 'x') }, workers.unpack)).toEqual(data)
  })

  test('rejects corrupt data', () => {
    expect(() => unpackOnce(() => compressed.slice(0, -10), sumOf(data), newFolder())).toThrow()
    expect(() => unpackOnce(() => new TextEncoder().encode('no zstd at all'), sumOf(data), newFolder())).toThrow()
  })
})

function damage(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 0xff
  writeFileSync(file, bytes)
}
