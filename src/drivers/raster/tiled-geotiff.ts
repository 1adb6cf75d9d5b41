import { closeSync, openSync, writeSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { isGeographicEpsg } from '../../geo/projection.ts'
import type { CellArray, SampleType } from '../../raster/decode.ts'
import type { RasterLayout } from '../../raster/layout.ts'
import { FileError } from '../../files/file-error.ts'
import { encodeDirectory, encodeEntry, geoKeyTags, headerOf, type TiffTag } from '../../files/geotiff-writer.ts'

/**
 * The grid of a raster. `bands`: the number of its bands (default: 1). `origin` is the outer corner of the first cell,
 * in the coordinate system; rows go south. `scale`: the factor from a stored number to its value. `crsTags`: the tags of
 * the coordinate system.
 */
export type TiledRaster = {
  width: number
  height: number
  bands?: number
  sampleType: SampleType
  nodata: number | null
  scale: number
  origin: [x: number, y: number]
  step: [x: number, y: number]
  crsTags: readonly TiffTag[]
}

/** The tags of a coordinate system with an EPSG code. */
export function crsTagsOfEpsg(epsg: number): TiffTag[] {
  return geoKeyTags(isGeographicEpsg(epsg) ? { 1024: 2, 2048: epsg } : { 1024: 1, 3072: epsg })
}

/** The tags of the coordinate system of another raster. The tie point of the copy is the corner of a cell. */
export function crsTagsOfLayout({ crsTags: { keyDirectory, doubleParams, asciiParams } }: RasterLayout): TiffTag[] {
  const directory = keyDirectory.map((value, i) => (i % 4 === 3 && keyDirectory[i - 3] === rasterType ? 1 : value))
  return [
    [34735, 3, directory],
    ...(doubleParams.length === 0 ? [] : [[34736, 12, doubleParams] satisfies TiffTag]),
    ...(asciiParams === '' ? [] : [[34737, 2, asciiParams] satisfies TiffTag]),
  ]
}

/** The key that says whether the tie point is the corner of a cell (1) or its center (2). */
const rasterType = 1025

/** The side of a tile in cells. */
export const tileSide = 256

/**
 * Writes a GeoTIFF in compressed tiles, band by band and row by row of tiles. `tileAt` returns the cells of a tile of
 * full size, or null for a tile without data, which takes no space.
 */
export async function writeTiledGeotiff(
  path: string,
  raster: TiledRaster,
  tileAt: (column: number, row: number, band: number) => Promise<CellArray | null>,
): Promise<void> {
  const across = Math.ceil(raster.width / tileSide)
  const down = Math.ceil(raster.height / tileSide)
  const { bands = 1 } = raster
  if (across * down * bands > maxTiles)
    throw new FileError(`A raster of ${raster.width} by ${raster.height} cells is too large. Use a smaller area.`)
  const offsets: number[] = []
  const sizes: number[] = []
  const file = openSync(path, 'w')
  try {
    let end = writeSync(file, headerOf(0, true))
    for (let tile = 0; tile < across * down * bands; tile++) {
      const [column, row] = [tile % across, Math.floor(tile / across) % down]
      const cells = await tileAt(column, row, Math.floor(tile / (across * down)))
      const bytes = cells ? deflateSync(new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)) : null
      offsets.push(bytes ? end : 0)
      sizes.push(bytes?.length ?? 0)
      if (bytes) end += writeSync(file, bytes, 0, bytes.length, end)
      if (end > maxFile_bytes) throw new FileError('The raster has more than 4 GB. Use a smaller area.')
    }
    const begin = end + (end % 2)
    const entries = tagsOf(raster, offsets, sizes).map((tag) => encodeEntry(tag, true))
    const directory = encodeDirectory(entries, begin, { littleEndian: true, next: 0 })
    writeSync(file, directory, 0, directory.length, begin)
    writeSync(file, headerOf(begin, true), 0, 8, 0)
  } finally {
    closeSync(file)
  }
}

const maxTiles = 4_000_000
const maxFile_bytes = 4_000_000_000
const deflate = 8
const sampleFormats = { u: 1, i: 2, f: 3 } as const

function tagsOf(raster: TiledRaster, offsets: number[], sizes: number[]): TiffTag[] {
  const { width, height, bands = 1, sampleType, nodata, scale, origin, step, crsTags } = raster
  return [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array.from({ length: bands }, () => Number(sampleType.replace(/\D/g, '')))],
    [259, 3, [deflate]],
    [262, 3, [1]],
    [277, 3, [bands]],
    // Each band is a plane of its own.
    [284, 3, [bands === 1 ? 1 : 2]],
    [322, 3, [tileSide]],
    [323, 3, [tileSide]],
    [324, 4, offsets],
    [325, 4, sizes],
    [339, 3, Array.from({ length: bands }, () => sampleFormats[sampleType[0] as 'u'])],
    [33550, 12, [step[0], step[1], 0]],
    [33922, 12, [0, 0, 0, origin[0], origin[1], 0]],
    ...crsTags,
    ...(scale === 1
      ? []
      : [
          [
            42112,
            2,
            `<GDALMetadata><Item name="SCALE" sample="0" role="scale">${scale}</Item></GDALMetadata>`,
          ] satisfies TiffTag,
        ]),
    ...(nodata === null ? [] : [[42113, 2, String(nodata)] satisfies TiffTag]),
  ]
}
