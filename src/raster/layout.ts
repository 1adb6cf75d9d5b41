import { projectionOf, type Projection } from '../geo/projection.ts'
import type { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { compressions, maxChunk_bytes, sampleArrays, type ChunkFormat, type SampleType } from './decode.ts'
import { corruptTiffError, readTiffDirectory, type TiffDirectory } from './tiff-directory.ts'
import { crsOf, describesProjection, geoKeysOf, geoTags, type GeoKeys } from './geo-keys.ts'
import { alphaBandOf, findMask, maskTags } from './mask.ts'
import { geoTransformOf, type GeoTransform } from './geo-transform.ts'
import type { RangeReader } from './raster.ts'
import { UnsupportedRasterError } from './unsupported-raster.ts'

const sideMax = 100_000_000
const bandsMax = 1_024
/** Incompressible tiles may be slightly larger than their raw bytes. */
const growth = { factor: 1.25, bytes: 65_536 }

/** The header of a raster. A chunk is a tile or a strip. */
export type RasterLayout = {
  image: 'main' | 'mask'
  width: number
  height: number
  bands: number
  chunkWidth: number
  chunkHeight: number
  chunksAcross: number
  /** The decompressed size of a chunk, with all bands that it holds. */
  chunk_bytes: number
  nodata: number | null
  sampleType: SampleType
  scales: Map<number, { scale: number; offset: number }>
  crs: string
  /** The values of the tags that define the coordinate system. */
  crsTags: { keyDirectory: number[]; doubleParams: number[]; asciiParams: string }
  projection: Projection
  /** From the north-west corner, or from the south-west corner if `step_y` is positive. */
  geoTransform: GeoTransform
  /** The position of a chunk in the file. null for a chunk without data. */
  locateChunk(chunk: number, budget: Budget): Promise<{ offset: number; length: number } | null>
  firstChunkOfRow(row: number, band: number): number
  chunkFormatOf(chunk: number, band: number): ChunkFormat
  /** Cells that are 0 where the raster has no value: an image of the file, or one of the bands. */
  mask: RasterMask | null
}
/** `bandOf` returns the band of the mask for a band of the raster. */
type RasterMask = { layout: RasterLayout; bandOf(band: number): number }
/** The layout of the cells of an image. */
type CellLayout = Omit<RasterLayout, 'crs' | 'crsTags' | 'projection' | 'geoTransform' | 'mask'>

const tags = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  stripOffsets: 273,
  bands: 277,
  rowsPerStrip: 278,
  stripCounts: 279,
  planes: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileCounts: 325,
  format: 339,
  metadata: 42112,
  nodata: 42113,
}
const layoutTags = [
  ...Object.values(geoTags),
  ...Object.values(maskTags),
  ...Object.values(tags).filter(
    (tag) => ![tags.stripOffsets, tags.stripCounts, tags.tileOffsets, tags.tileCounts].includes(tag),
  ),
]

/** Reads and validates the header of a GeoTIFF. Throws `bad_response`, `too_large` or `unsupported_request`. */
export async function readRasterLayout(reader: RangeReader, budget: Budget): Promise<RasterLayout> {
  const directory = await readTiffDirectory(reader, layoutTags, budget)
  const keys = geoKeysOf(directory)
  const crs = crsOf(keys) ?? reader.crs
  if (crs === undefined) throw noCrsError(keys)
  const layout: RasterLayout = {
    ...readCellLayout(directory),
    crs,
    crsTags: {
      keyDirectory: directory.numbers(geoTags.keyDirectory) ?? [],
      doubleParams: directory.numbers(geoTags.doubleParams) ?? [],
      asciiParams: directory.text(geoTags.asciiParams) ?? '',
    },
    projection: requireProjection(crs),
    geoTransform: geoTransformOf(directory, keys),
    mask: null,
  }
  return { ...layout, mask: await readMask(layout, directory, budget) }
}

/** An image that masks the raster is used before an alpha band, as in GDAL. */
async function readMask(layout: RasterLayout, directory: TiffDirectory, budget: Budget): Promise<RasterMask | null> {
  const image = await findMask(directory, budget)
  if (image) {
    const cells = readCellLayout(image, { isMask: true })
    return { layout: { ...layout, ...cells }, bandOf: (band) => Math.min(band, cells.bands) }
  }
  const alpha = alphaBandOf(directory, layout.bands)
  // The numbers of the band count as they are stored.
  const stored = { ...layout, nodata: null, scales: new Map() }
  return alpha === null ? null : { layout: stored, bandOf: () => alpha }
}

function requireProjection(crs: string): Projection {
  try {
    return projectionOf(crs)
  } catch (cause) {
    throw new UnsupportedRasterError(cause instanceof Error ? cause.message : String(cause), 'warp', { cause })
  }
}

/** A projection that the keys describe, but not by a code, may be known to other programs. */
function noCrsError(keys: GeoKeys): UpstreamError {
  const options = { code: 'bad_response' } as const
  return describesProjection(keys)
    ? new UnsupportedRasterError('Unknown coordinate system in the GeoTIFF keys.', 'warp', options)
    : new UnsupportedRasterError('Invalid GeoTIFF: the file has no coordinate system.', 'assign_crs', options)
}

function readCellLayout(directory: TiffDirectory, { isMask }: { isMask: boolean } = { isMask: false }): CellLayout {
  const { littleEndian } = directory
  const integerTag = (tag: number, min: number, max: number, fallback?: number) =>
    readInteger(directory.numbers(tag)?.[0] ?? fallback, tag, min, max)
  const width = integerTag(tags.width, 1, sideMax)
  const height = integerTag(tags.height, 1, sideMax)
  const bands = integerTag(tags.bands, 1, bandsMax, 1)
  const isTiled = directory.count(tags.tileOffsets) > 0
  const chunkWidth = isTiled ? integerTag(tags.tileWidth, 1, sideMax) : width
  const chunkHeight = isTiled
    ? integerTag(tags.tileHeight, 1, sideMax)
    : Math.min(height, integerTag(tags.rowsPerStrip, 1, 2 ** 32 - 1, height))
  const isPlanar = integerTag(tags.planes, 1, 2, 1) === 2
  const stride = isPlanar ? 1 : bands
  // The cells of most masks have one bit.
  const isPacked = isMask && directory.numbers(tags.bits)?.[0] === 1
  const sampleType = isPacked ? 'uint8' : sampleTypeOf(directory)
  const compression = compressionOf(integerTag(tags.compression, 0, 65_535, 1))
  const predictor = predictorOf(integerTag(tags.predictor, 0, 65_535, 1), sampleType)
  const chunk_bytes = chunkWidth * chunkHeight * stride * sampleArrays[sampleType].BYTES_PER_ELEMENT
  if (chunk_bytes > maxChunk_bytes)
    throw new UnsupportedRasterError(
      `A raster tile of ${chunkWidth} by ${chunkHeight} cells has ${chunk_bytes} bytes. The maximum is ${maxChunk_bytes} bytes.`,
      'convert',
      { code: 'too_large' },
    )
  const chunksAcross = Math.ceil(width / chunkWidth)
  const chunksPerPlane = chunksAcross * Math.ceil(height / chunkHeight)
  const offsets = isTiled ? tags.tileOffsets : tags.stripOffsets
  const byteCounts = isTiled ? tags.tileCounts : tags.stripCounts
  const chunkCount = chunksPerPlane * (isPlanar ? bands : 1)
  for (const tag of [offsets, byteCounts])
    if (directory.count(tag) !== chunkCount)
      throw corruptTiffError(`lists ${directory.count(tag)} tiles but has ${chunkCount}`)
  return {
    image: isMask ? 'mask' : 'main',
    width,
    height,
    bands,
    chunkWidth,
    chunkHeight,
    chunksAcross,
    chunk_bytes,
    sampleType,
    nodata: nodataOf(directory.text(tags.nodata)),
    scales: scalesOf(directory.text(tags.metadata) ?? ''),
    locateChunk: createChunkLocator(directory, { offsets, byteCounts, chunk_bytes }),
    firstChunkOfRow: (row, band) => (isPlanar ? (band - 1) * chunksPerPlane : 0) + row * chunksAcross,
    chunkFormatOf(chunk, band) {
      const row = Math.floor((chunk % chunksPerPlane) / chunksAcross)
      const rows = isTiled ? chunkHeight : Math.min(chunkHeight, height - row * chunkHeight)
      return {
        width: chunkWidth,
        rows,
        fullRows: chunkHeight,
        stride,
        sampleIndex: isPlanar ? 0 : band - 1,
        sampleType,
        isPacked,
        compression,
        predictor,
        littleEndian,
      }
    },
  }
}

function createChunkLocator(
  directory: TiffDirectory,
  { offsets, byteCounts, chunk_bytes }: { offsets: number; byteCounts: number; chunk_bytes: number },
): RasterLayout['locateChunk'] {
  return async (chunk, budget) => {
    const [offset, length] = await Promise.all([
      directory.numberAt(offsets, chunk, budget),
      directory.numberAt(byteCounts, chunk, budget),
    ])
    if (length > chunk_bytes * growth.factor + growth.bytes)
      throw corruptTiffError(`declares ${length} compressed bytes for a tile of ${chunk_bytes} bytes`)
    return length === 0 ? null : { offset, length }
  }
}

function readInteger(value: number | undefined, tag: number, min: number, max: number): number {
  if (value !== undefined && Number.isInteger(value) && value >= min && value <= max) return value
  throw corruptTiffError(`has ${value ?? 'no value'} in tag ${tag}. Expected ${min} to ${max}`)
}

function sampleTypeOf(directory: TiffDirectory): SampleType {
  const bits = directory.numbers(tags.bits) ?? [1]
  const formats = directory.numbers(tags.format) ?? [1]
  const name = `${['', 'uint', 'int', 'float'][formats[0] ?? 1] ?? ''}${bits[0]}`
  const isUniform = bits.every((size) => size === bits[0]) && formats.every((format) => format === formats[0])
  if (isUniform && isSampleType(name)) return name
  throw new UnsupportedRasterError(
    `The raster has unsupported cells: ${bits.slice(0, 8).join(', ')} bits in sample format ${formats.slice(0, 8).join(', ')}.`,
    'cells',
  )
}

function isSampleType(name: string): name is SampleType {
  return Object.hasOwn(sampleArrays, name)
}

function compressionOf(code: number): ChunkFormat['compression'] {
  for (const [tiffCode, name] of Object.entries(compressions)) if (Number(tiffCode) === code) return name
  throw new UnsupportedRasterError(
    `The raster has the unsupported compression ${code}. Supported are none, LZW, DEFLATE and ZSTD.`,
    'convert',
  )
}

function predictorOf(predictor: number, sampleType: SampleType): number {
  if (predictor === 1 || predictor === 2 || (predictor === 3 && sampleType.startsWith('float'))) return predictor
  throw new UnsupportedRasterError(
    `The raster has the unsupported predictor ${predictor} for ${sampleType} cells.`,
    'convert',
  )
}

function nodataOf(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null
  const value = /^[-+]?nan$/i.test(text.trim()) ? NaN : Number(text.trim().replace(/^(-?)inf$/i, '$1Infinity'))
  return Number.isNaN(value) && !/nan/i.test(text) ? null : value
}

/** Scales and offsets from GDAL metadata (`<Item name="SCALE" sample="0" role="scale">0.1</Item>`), by band from 1. */
function scalesOf(xml: string): RasterLayout['scales'] {
  const scales: RasterLayout['scales'] = new Map()
  for (const [, attributes, text] of xml.matchAll(/<Item ([^<>]*)>([^<]*)<\/Item>/g)) {
    const role = /role="(scale|offset)"/.exec(attributes!)?.[1]
    const band = Number(/sample="(\d+)"/.exec(attributes!)?.[1] ?? NaN) + 1
    const value = Number(text)
    if (role === undefined || Number.isNaN(band) || !Number.isFinite(value)) continue
    scales.set(band, { scale: 1, offset: 0, ...scales.get(band), [role]: value })
  }
  return scales
}
