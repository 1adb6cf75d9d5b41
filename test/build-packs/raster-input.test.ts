import { afterAll, describe, expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import proj4 from 'proj4'
import { withGeoKeys, findRasters } from '../../src/build-packs/raster/raster-input.ts'
import { openRasters } from '../../src/raster/rasters.ts'
import { workers } from '../../src/workers.ts'
import { hasGdal, runOracle } from '../cli/oracle.ts'
import { buildGeotiff } from '../raster/build-geotiff.ts'
import { workFolder } from './build-test-pack.ts'

if (!hasGdal) console.warn('GDAL is not installed (gdal-bin): skipping the comparison of rasters.')
const { folder, file, remove } = workFolder()
const rasters = openRasters({ startWorker: workers.raster })
afterAll(() => {
  rasters.close()
  remove()
})
const soon_ms = 60_000
const budget = { signal: new AbortController().signal }
const convertRaster = async (path: string, name: string, keys?: Record<string, number>) => {
  const to = join(folder, name)
  await withGeoKeys((await findRasters(path))[0]!, keys).write(to, folder)
  return to
}
const cellAt = async (path: string, at: { lat: number; lng: number }) => {
  const raster = await rasters.openFile(path)
  const { cells } = await raster.window({ at, radius_cells: 0 }, {}, budget)
  return cells[0]
}

const [columns, rows] = [7, 19]
const valueOf = (x: number, y: number) => (x === 3 && y === 3 ? -9999 : 100 * y - x)
const header = (more: Record<string, string | number> = {}) =>
  Object.entries({
    BYTEORDER: 'M',
    LAYOUT: 'BIL',
    NROWS: rows,
    NCOLS: columns,
    NBANDS: 1,
    NBITS: 16,
    PIXELTYPE: 'SIGNEDINT',
    ULXMAP: -100,
    ULYMAP: 40,
    XDIM: 0.5,
    YDIM: 0.25,
    NODATA: -9999,
    ...more,
  })
    .map(([word, value]) => `${word}   ${value}\n`)
    .join('')
const cells = (order: boolean) => {
  const view = new DataView(new ArrayBuffer(columns * rows * 2))
  for (let i = 0; i < columns * rows; i++) view.setInt16(i * 2, valueOf(i % columns, Math.floor(i / columns)), order)
  return new Uint8Array(view.buffer)
}
const degrees =
  'GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

describe('raw rasters', () => {
  test.each([
    ['M', false],
    ['I', true],
  ] as const)(
    'with byte order %s become a GeoTIFF with the same values at the same places',
    async (order, little) => {
      const path = file(`bare-${order}.bil`, cells(little))
      file(`bare-${order}.hdr`, header({ BYTEORDER: order }))
      file(`bare-${order}.prj`, degrees)
      const made = await convertRaster(path, `bare-${order}.tif`)
      for (const [x, y] of [
        [0, 0],
        [6, 0],
        [2, 7],
        [2, 8],
        [6, 18],
      ] as const) {
        const at = { lat: 40 - 0.25 * y, lng: -100 + 0.5 * x }
        expect(await cellAt(made, at)).toBe(valueOf(x, y))
        if (hasGdal)
          expect(
            Number(await runOracle(['gdallocationinfo', '-valonly', '-wgs84', made, String(at.lng), String(at.lat)])),
          ).toBe(valueOf(x, y))
      }
      expect(await cellAt(made, { lat: 39.25, lng: -98.5 })).toBeNull()
      expect(await cellAt(made, { lat: 40.2, lng: -98.5 })).toBeNull()
    },
    soon_ms,
  )

  test.each<[string, Record<string, string | number>, RegExp]>([
    ['more than one band', { NBANDS: 3 }, /has 3 bands of 16 bits \(SIGNEDINT\)\. Expected one band/],
    ['an unknown pixel type', { PIXELTYPE: 'COMPLEX' }, /bits \(COMPLEX\)/],
    ['no width', { NCOLS: 'x' }, /has no NCOLS/],
    ['fewer cells than declared', { NROWS: 40 }, /has 266 bytes of cells, but its header declares 560/],
    ['more cells than can be written', { NROWS: 2_000_000_000 }, /too large to be converted/],
  ])('with %s are rejected', async (_, more, sentence) => {
    const path = file('odd.bil', cells(false))
    file('odd.hdr', header(more))
    expect(convertRaster(path, 'odd.tif')).rejects.toThrow(sentence)
  })

  test('without a header, or in a projected system, are rejected', async () => {
    expect(convertRaster(file('lone.bil', cells(false)), 'lone.tif')).rejects.toThrow('has no .hdr file next to it')
    const path = file('plane.bil', cells(false))
    file('plane.hdr', header())
    file('plane.prj', 'PROJCS["x"]')
    expect(convertRaster(path, 'plane.tif')).rejects.toThrow('is not in degrees')
  })
})

const lambert = '+proj=lcc +lat_0=40 +lon_0=-96 +lat_1=20 +lat_2=60 +datum=NAD83 +units=m'
const keys = {
  1024: 1,
  2048: 4269,
  3072: 32_767,
  3074: 32_767,
  3075: 8,
  3076: 9001,
  3078: 20,
  3079: 60,
  3084: -96,
  3085: 40,
  3086: 0,
  3087: 0,
}

describe('a raster that declares the wrong coordinate system', () => {
  const form = {
    width: 40,
    height: 30,
    type: 'float64',
    nodata: '0',
    epsg: 4326,
    origin: [-1_000_000, -750_000],
    step: [50_000, 50_000],
    value: (x: number, y: number) => 1 + x + 100 * y,
  } as const
  test.each([
    ['from the south', form],
    [
      'from the north, with the other byte order',
      {
        ...form,
        origin: [-1_000_000, 750_000],
        step: [50_000, -50_000],
        bigEndian: true,
        compression: 'deflate',
        strip: 3,
      },
    ],
  ] as const)(
    'has its cells at the right places after the correction, %s',
    async (name, it) => {
      const path = file(
        `${name.replaceAll(/\W/g, '-')}.tif`,
        buildGeotiff({ ...it, origin: [...it.origin], step: [...it.step] }),
      )
      const made = await convertRaster(path, `told-${name.length}.tif`, keys)
      for (const [x, y] of [
        [0, 0],
        [39, 29],
        [17, 4],
      ] as const) {
        const plane = [it.origin[0] + (x + 0.5) * it.step[0], it.origin[1] + (y + 0.5) * it.step[1]]
        const [lng, lat] = proj4(lambert, '+proj=longlat +datum=NAD83', plane) as [number, number]
        expect(await cellAt(made, { lat, lng })).toBe(1 + x + 100 * y)
        if (hasGdal)
          expect(
            Number(await runOracle(['gdallocationinfo', '-valonly', '-wgs84', made, String(lng), String(lat)])),
          ).toBe(1 + x + 100 * y)
      }
      expect(readFileSync(path).subarray(8, 200)).toEqual(readFileSync(made).subarray(8, 200))
    },
    soon_ms,
  )

  test('is left alone if it was reprojected to degrees', async () => {
    for (const step of [
      [0.5, -0.5],
      [0.5, 0.5],
    ] as [number, number][]) {
      const bytes = buildGeotiff({ width: 4, height: 4, value: () => 1, origin: [-100, 40], step })
      expect(
        readFileSync(await convertRaster(file('warped.tif', bytes), 'warped-corrected.tif', keys)).equals(bytes),
      ).toBe(true)
    }
  })

  test('is rejected if the correction is not possible', () => {
    expect(
      convertRaster(
        file('big.tif', buildGeotiff({ width: 4, height: 4, value: () => 1, bigTiff: true })),
        'big-corrected.tif',
        keys,
      ),
    ).rejects.toThrow('is a BigTIFF')
    expect(
      convertRaster(
        file('cut.tif', buildGeotiff({ width: 4, height: 4, value: () => 1 }).subarray(0, 60)),
        'cut-corrected.tif',
        keys,
      ),
    ).rejects.toThrow('cut.tif is truncated')
  })
})

test('an archive lists its rasters by name, raw rasters with their sidecars, and no other files', async () => {
  const tif = buildGeotiff({ width: 4, height: 4, value: () => 5, type: 'uint8' })
  const text = (value: string) => new TextEncoder().encode(value)
  const path = file(
    'all.zip',
    zipSync({
      'in/one.tif': tif,
      'in/one.tif.ovr': tif,
      'in/one.tfw': text('1'),
      'two.TIFF': tif,
      'bare.bil': cells(false),
      'bare.hdr': text(header()),
      'bare.prj': text(degrees),
      '__MACOSX/._one.tif': tif,
    }),
  )
  const found = await findRasters(path)
  expect(Object.fromEntries(found.map(({ name, origin }) => [name, origin]))).toEqual({
    bare: 'bare.bil in all.zip',
    one: 'in/one.tif in all.zip',
    two: 'two.TIFF in all.zip',
  })
  for (const it of found) {
    await it.write(join(folder, `of-${it.name}.tif`), folder)
    expect(
      await cellAt(
        join(folder, `of-${it.name}.tif`),
        it.name === 'bare' ? { lat: 40, lng: -100 } : { lat: 39.99, lng: -99.99 },
      ),
    ).toBe(it.name === 'bare' ? 0 : 5)
  }
  expect(readdirSync(folder)).toContain('of-bare.tif')
})

test('a file that is not a raster is rejected with what it is', () => {
  expect(findRasters(file('text.tif', 'lat,lng\n'))).rejects.toThrow(
    'text.tif starts with the bytes 6c61742c6c6e670a, but the dataset needs a raster',
  )
  expect(findRasters(file('none.zip', zipSync({ 'a.shp': new Uint8Array(4) })))).rejects.toThrow(
    'none.zip contains no raster. Expected a GeoTIFF, a .bil with its .hdr, or a ZIP archive of them. It contains a.shp.',
  )
  expect(findRasters(join(folder, 'nowhere.tif'))).rejects.toThrow('does not exist')
})
