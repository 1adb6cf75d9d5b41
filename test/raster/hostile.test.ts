import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { decodeChunk, maxChunk_bytes, type ChunkFormat } from '../../src/raster/decode.ts'
import { openDecoder, createWarmUpTiles } from '../../src/raster/decoder.ts'
import { decodeLzw } from '../../src/raster/lzw.ts'
import type { Raster } from '../../src/raster/raster.ts'
import { openRasters, type Rasters } from '../../src/raster/rasters.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { workers } from '../../src/workers.ts'
import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'
import { rejectionCode, cellCenter, rasterBudget, openTestRasters, memoryReader } from './test-rasters.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rasters = openTestRasters()
const folder = temporaryFolder()
afterAll(() => rasters.close())

const plain: TiffSpec = { width: 100, height: 80, tile: 32, value: (x, y) => x + y * 100, compression: 'deflate' }
const cellOf = async (raster: Raster, x = 50, y = 40) =>
  (await raster.window({ at: cellCenter(x, y), radius_cells: 0 }, {}, rasterBudget)).cells[0]
const read = async (bytes: Uint8Array, among = rasters) => cellOf(await among.open(memoryReader(bytes), rasterBudget))

describe('a file that is not a GeoTIFF', () => {
  test.each([
    ['empty', new Uint8Array(0)],
    ['HTML', new TextEncoder().encode('<html><body>503 Service Unavailable</body></html>')],
    ['zeroes', new Uint8Array(100_000)],
    ['a TIFF that points to nowhere', Uint8Array.of(0x49, 0x49, 42, 0, 255, 255, 255, 127, 0, 0, 0, 0, 0, 0, 0, 0)],
    [
      'a BigTIFF that points beyond all numbers',
      Uint8Array.of(0x49, 0x49, 43, 0, 8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255),
    ],
    ['a picture with no place on earth', buildGeotiff({ ...plain, epsg: null })],
  ])('is bad_response: %s', async (_name, bytes) => expect(await rejectionCode(read(bytes))).toBe('bad_response'))
})

test('a truncated file returns bad_response, or the correct value if its tile is complete', async () => {
  for (const form of [
    plain,
    { ...plain, bigTiff: true },
    { ...plain, compression: 'none', strip: 16 },
  ] satisfies TiffSpec[]) {
    const whole = buildGeotiff(form)
    for (let length = 0; length < whole.length; length += Math.max(1, Math.floor(whole.length / 60))) {
      const got = await read(whole.slice(0, length)).catch((error: unknown) =>
        error instanceof UpstreamError ? error.code : error,
      )
      expect(['bad_response', 4050]).toContain(got as string | number)
    }
  }
})

test('a file with random changes returns a number, null or an UpstreamError (seed 7)', async () => {
  const whole = buildGeotiff({
    ...plain,
    nodata: '-9999',
    metadata: '<GDALMetadata><Item name="SCALE" sample="0" role="scale">1</Item></GDALMetadata>',
  })
  // `buildGeotiff` writes the tags at the end of the file.
  const random = randomOf(7)
  for (let round = 0; round < 500; round++) {
    const bytes = whole.slice()
    for (let i = 0; i < 3; i++)
      bytes[random() % 2 ? random() % 16 : bytes.length - 1 - (random() % 420)] = random() % 256
    const got: unknown = await read(bytes).catch((error: unknown) => error)
    if (got instanceof Error) expect(got).toBeInstanceOf(UpstreamError)
    else expect(got === null || got === undefined || typeof got === 'number').toBe(true)
  }
})

describe('a header with a wrong value is rejected', () => {
  const long = (...values: number[]) => ({ type: 4, values })
  const lies: [string, TiffSpec['overriddenTags'], string][] = [
    ['width 0', { 256: long(0) }, 'bad_response'],
    ['more columns than tiles', { 256: long(2_000_000_000) }, 'bad_response'],
    ['too many rows', { 257: long(4_294_967_295) }, 'bad_response'],
    ['tile width 0', { 322: long(0) }, 'bad_response'],
    ['tiles of a gigabyte', { 322: long(20_000), 323: long(20_000) }, 'too_large'],
    ['too many bands', { 277: long(60_000) }, 'bad_response'],
    [
      'tiles with more compressed than decompressed bytes',
      { 325: long(...Array.from({ length: 12 }, () => 4_000_000_000)) },
      'bad_response',
    ],
    [
      'tiles beyond the end of the file',
      { 324: long(...Array.from({ length: 12 }, () => 4_000_000_000)) },
      'bad_response',
    ],
    ['a wrong number of tiles', { 324: long(1, 2, 3) }, 'bad_response'],
    ['cells of 12 bits', { 258: { type: 3, values: [12] } }, 'unsupported_request'],
    ['JPEG compression', { 259: { type: 3, values: [7] } }, 'unsupported_request'],
    ['a compression that does not match the tiles', { 259: { type: 3, values: [50_000] } }, 'bad_response'],
    ['an unknown predictor', { 317: { type: 3, values: [34_892] } }, 'unsupported_request'],
    ['cell size 0', { 33550: { type: 12, values: [0, 0, 0] } }, 'bad_response'],
    ['a position that is not a number', { 33922: { type: 12, values: [0, 0, 0, NaN, 40, 0] } }, 'bad_response'],
  ]
  test.each(lies)('%s', async (_name, message, code) =>
    expect(await rejectionCode(read(buildGeotiff({ ...plain, overriddenTags: message! })))).toBe(code),
  )

  test('four billion values in a tag, without allocating memory for them', async () => {
    const bytes = buildGeotiff(plain)
    const view = new DataView(bytes.buffer)
    const directory = view.getUint32(4, true)
    for (const tag of [33922, 34735, 324]) {
      const copy = bytes.slice()
      for (let at = directory + 2; at < copy.length - 12; at += 12) {
        if (view.getUint16(at, true) === tag) new DataView(copy.buffer).setUint32(at + 4, 4_294_967_295, true)
      }
      expect(await rejectionCode(read(copy))).toBe('bad_response')
    }
  })
})

test('a tile that decompresses to more than its size is bad_response', async () => {
  const bomb = new Uint8Array(Bun.deflateSync(new Uint8Array(40_000_000), { windowBits: 15 }))
  const decoder = openDecoder(workers.raster)
  const form = {
    width: 16,
    rows: 16,
    fullRows: 16,
    stride: 1,
    sampleIndex: 0,
    sampleType: 'uint8',
    compression: 'deflate',
    predictor: 1,
    littleEndian: true,
  } as const
  expect(await rejectionCode(decoder.decode(bomb, form, rasterBudget))).toBe('bad_response')
  expect(await rejectionCode(decoder.decode(new Uint8Array(10), { ...form, compression: 'lzw' }, rasterBudget))).toBe(
    'bad_response',
  )
  decoder.close()
})

describe('decompression of a tile stops at 64 MiB, whatever the size in the format', () => {
  const zeros = new Uint8Array(maxChunk_bytes + 1)
  const compressed = { deflate: Bun.deflateSync(zeros, { windowBits: 15 }), zstd: Bun.zstdCompressSync(zeros) }
  const format: ChunkFormat = {
    width: 1024,
    rows: maxChunk_bytes / 1024 + 1,
    fullRows: maxChunk_bytes / 1024 + 1,
    stride: 1,
    sampleIndex: 0,
    sampleType: 'uint8',
    compression: 'none',
    predictor: 1,
    littleEndian: true,
  }

  test.each(['deflate', 'zstd'] as const)('with %s', (compression) => {
    expect(() => decodeChunk(compressed[compression], { ...format, compression })).toThrow(
      `A raster tile is invalid ${compression} data, or decompresses to more than 67108864 bytes.`,
    )
  })

  test('with LZW', () => {
    // 20,000 growing strings after one clear code: more than 64 MiB of output.
    const codes = lzwOf([...growingLzw(20_000)])
    expect(() => decodeChunk(codes, { ...format, compression: 'lzw' })).toThrow(
      `A raster tile has ${maxChunk_bytes} bytes. Expected ${maxChunk_bytes + 1024}.`,
    )
  })

  test('and rejects a zstd frame that needs more than 128 MiB of memory', () => {
    const frame = zstdCompressSync(new Uint8Array(2 ** 28 + 1), { params: { [constants.ZSTD_c_windowLog]: 28 } })
    expect(() => decodeChunk(frame, { ...format, compression: 'zstd' })).toThrow('A raster tile is invalid zstd data')
  })
})

/** Codes of a clear code and then strings that each extend the previous one, up to the largest, which is repeated. */
function* growingLzw(count: number): Generator<[code: number, bits: number]> {
  yield [256, 9]
  for (let n = 0; n < count; n++)
    yield [n === 0 ? 65 : Math.min(257 + n, 4_095), n < 254 ? 9 : n < 766 ? 10 : n < 1_790 ? 11 : 12]
}

test('LZW decompression of random bytes ends within its limit (seed 11)', () => {
  const random = randomOf(11)
  for (let round = 0; round < 2000; round++) {
    const plain = decodeLzw(
      Uint8Array.from({ length: random() % 400 }, () => random() % 256),
      5000,
    )
    expect(plain === null || plain.length <= 5000).toBe(true)
  }
})

test('after warm-up, the worker starts before the first tile, as soon as a raster can be read', async () => {
  const path = join(folder, 'prepared.tif')
  writeFileSync(path, buildGeotiff(plain))
  let starts = 0
  const counting = () => openRasters({ startWorker: () => (++starts, workers.raster()) })
  const [local, remote, closed] = [counting(), counting(), counting()]
  const before = await local.openFile(path)
  expect(starts).toBe(0)
  before.close()
  local.warmUp({ remote: false })
  expect(starts).toBe(0)
  const raster = await local.openFile(path)
  expect(starts).toBe(1)
  expect(await cellOf(raster)).toBe(4050)
  remote.warmUp({ remote: true })
  expect(starts).toBe(2)
  closed.close()
  closed.warmUp({ remote: true })
  expect(starts).toBe(2)
  local.close()
  remote.close()
})

test('the warm-up tiles are complete', () => {
  for (const { bytes, format } of createWarmUpTiles())
    expect(decodeChunk(bytes, format).length).toBe(format.width * format.rows)
})

test('LZW decompression handles the newest code and a full table', () => {
  const codes = [256, 65, 258, 259, 257]
  expect(decodeLzw(lzwOf(codes.map((code) => [code, 9])), 100)).toEqual(new Uint8Array(6).fill(65))
  // 5,000 codes without a clear code: the table is full from the 3,839th on.
  const widthAt = (n: number) => (n < 254 ? 9 : n < 766 ? 10 : n < 1_790 ? 11 : 12)
  const long = Array.from({ length: 5_000 }, (_, n): [number, number] => [n < 4_500 ? n % 256 : 4_095, widthAt(n)])
  const plain = decodeLzw(lzwOf([[256, 9], ...long]), 100_000)!
  expect(Array.from(plain.subarray(0, 4_500))).toEqual(Array.from({ length: 4_500 }, (_, n) => n % 256))
  // Entry 4095 consists of the code before the 3,838th and the first byte of the 3,838th.
  expect(Array.from(plain.subarray(4_500, 4_504))).toEqual([3_837 % 256, 3_838 % 256, 3_837 % 256, 3_838 % 256])
  expect(plain.length).toBe(4_500 + 2 * 500)
})

function lzwOf(codes: [code: number, bits: number][]): Uint8Array {
  const bits = codes.map(([code, width]) => code.toString(2).padStart(width, '0')).join('')
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(8 * i, 8 * i + 8).padEnd(8, '0'), 2),
  )
}

describe('a lost worker', () => {
  const form = {
    width: 1,
    rows: 1,
    fullRows: 1,
    stride: 1,
    sampleIndex: 0,
    sampleType: 'uint8',
    compression: 'none',
    predictor: 1,
    littleEndian: true,
  } as const

  const opened: Rasters[] = []
  afterEach(() => {
    for (const it of opened.splice(0)) it.close()
  })
  const faulty = (name: string, code: string): (() => Worker) => {
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, code)
    return () => new Worker(file)
  }
  const dying: [string, string][] = [
    ['throws', 'self.onmessage = () => { throw new Error("out of luck") }'],
    ['exits', 'self.onmessage = () => process.exit(3)'],
    ['cannot be loaded', 'import "./nothing-there.ts"'],
    ['rejects', 'self.onmessage = async () => { await null; throw new Error("later") }'],
  ]
  test.each(dying)('fails its callers, and the next caller gets a new worker: it %s', async (name, code) => {
    const start = faulty(name.replaceAll(' ', '-'), code)
    let starts = 0
    const among = openRasters({ startWorker: () => (++starts === 1 ? start() : workers.raster()) })
    opened.push(among)
    const raster = await among.open(memoryReader(buildGeotiff(plain)), rasterBudget)
    expect(await Promise.all([rejectionCode(cellOf(raster)), rejectionCode(cellOf(raster, 5, 5))])).toEqual([
      'worker_lost',
      'worker_lost',
    ])
    expect(await cellOf(raster)).toBe(4050)
    expect(starts).toBe(2)
  })

  test('is terminated when it does not respond', async () => {
    const decoder = openDecoder(faulty('endless', 'self.onmessage = () => { for (;;); }'), 200)
    expect(await rejectionCode(decoder.decode(new Uint8Array(1), form, rasterBudget))).toBe('worker_lost')
    decoder.close()
  })

  test('fails the waiting callers when the service stops', async () => {
    const decoder = openDecoder(workers.raster)
    const cells = rejectionCode(decoder.decode(new Uint8Array(1), form, rasterBudget))
    decoder.close()
    expect(await cells).toBe('worker_lost')
  })
})

describe('a read', () => {
  test('of a header or a tile is shared by concurrent callers', async () => {
    const reader = memoryReader(buildGeotiff({ ...plain, width: 400, height: 400, compression: 'none' }))
    const cells = await Promise.all(
      Array.from({ length: 5 }, async (_, i) => cellOf(await rasters.open(reader, rasterBudget), i, 0)),
    )
    expect(cells).toEqual([0, 1, 2, 3, 4])
    const before = reader.reads.length
    expect(await cellOf(await rasters.open(reader, rasterBudget), 9, 0)).toBe(9)
    expect(reader.reads.length).toBe(before)
    expect(new Set(reader.reads.map(({ offset }) => offset)).size).toBe(before)
  })

  test('continues for the other callers when the first one aborts', async () => {
    const reader = memoryReader(buildGeotiff(plain))
    const first = new AbortController()
    const gates: (() => void)[] = []
    const slow = {
      id: reader.id,
      read: async (offset: number, length: number, budget: { signal: AbortSignal }) => {
        await new Promise<void>((resolve) => gates.push(resolve))
        return reader.read(offset, length, budget)
      },
    }
    const given = rasters.open(slow, { signal: first.signal }).catch((error: unknown) => error)
    const waiting = rasters.open(slow, rasterBudget)
    first.abort(new DOMException('gone', 'AbortError'))
    const open = setInterval(() => gates.at(-1)!(), 1)
    expect(await given).toMatchObject({ name: 'AbortError' })
    expect((await waiting).width).toBe(100)
    clearInterval(open)
  })

  test('is cached up to the limit; without a cache, every tile is read again with the same result', async () => {
    const among = openRasters({ startWorker: workers.raster, cacheMax_bytes: 5000 })
    const reader = memoryReader(buildGeotiff(plain))
    const raster = await among.open(reader, rasterBudget)
    const grid = await raster.window({ at: cellCenter(50, 40), radius_cells: 30 }, {}, rasterBudget)
    expect(grid.cells).toEqual(
      Array.from({ length: 61 * 61 }, (_, n) => 20 + (n % 61) + (10 + Math.floor(n / 61)) * 100),
    )
    among.close()
  })

  test('of a window whose tiles are too large together is rejected before any is read', async () => {
    const list = (value: number) => ({ type: 4, values: Array<number>(4).fill(value) })
    const reader = memoryReader(
      buildGeotiff({
        ...plain,
        width: 64,
        height: 64,
        type: 'uint8',
        tile: 16,
        overriddenTags: {
          322: { type: 4, values: [16] },
          323: { type: 4, values: [4_000_000] },
          324: list(8),
          325: list(10),
        },
      }),
    )
    const raster = await rasters.open(reader, rasterBudget)
    const readsBefore = reader.reads.length
    const window = raster.window({ at: cellCenter(32, 32), radius_cells: 30 }, {}, rasterBudget)
    expect(await rejectionCode(window)).toBe('too_large')
    expect(reader.reads.length).toBe(readsBefore)
  })

  test('of a local file ends at its end, and a missing file is a file system error', async () => {
    const path = join(folder, 'cut.tif')
    writeFileSync(path, buildGeotiff(plain).slice(0, 700))
    expect(await rejectionCode(rasters.openFile(path))).toBe('bad_response')
    expect(await rejectionCode(rasters.openFile(join(folder, 'none.tif')))).toBe('ENOENT')
    writeFileSync(path, buildGeotiff(plain))
    const raster = await rasters.openFile(path)
    expect(await cellOf(raster)).toBe(4050)
    raster.close()
  })

  test('fails for a caller that has already aborted', async () => {
    const raster = await rasters.open(memoryReader(buildGeotiff(plain)), rasterBudget)
    const signal = AbortSignal.abort(new DOMException('gone', 'AbortError'))
    expect(raster.window({ at: cellCenter(1, 1), radius_cells: 0 }, {}, { signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
