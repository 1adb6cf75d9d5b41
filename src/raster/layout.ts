import { projectionOf, type Projection } from '../geo/projection.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { compressions, sampleArrays, type ChunkForm, type Sample } from './decode.ts'
import { broken, readDirectory, type Directory } from './directory.ts'
import { crsOf, geoKeysOf, geoTags, type GeoKeys } from './geo-keys.ts'
import type { RangeReader } from './raster.ts'

const sideMax = 100_000_000
const bandsMax = 1_024
const chunkMax_bytes = 64 * 1_048_576
/** A tile that does not compress may grow by a little. */
const growth = { factor: 1.25, bytes: 65_536 }

/** All that is to be known of a raster before its cells are read. */
export type Layout = {
  width: number
  height: number
  bands: number
  chunkWidth: number
  chunkHeight: number
  across: number
  nodata: number | null
  sample: Sample
  scales: Map<number, { scale: number; offset: number }>
  crs: string
  projection: Projection
  /** From the north-west or, where `step_y` is positive, the south-west corner. */
  place: Place
  /** Where the bytes of a tile lie; null where it has none. */
  bytesOf(chunk: number, budget: Budget): Promise<{ offset: number; length: number } | null>
  chunkOf(row: number, band: number): number
  formOf(chunk: number, band: number): ChunkForm
}
type Place = { x: number; y: number; step_x: number; step_y: number }

const tags = {
  width: 256, height: 257, bits: 258, compression: 259, stripOffsets: 273, bands: 277, rowsPerStrip: 278, stripCounts: 279, planes: 284,
  predictor: 317, tileWidth: 322, tileHeight: 323, tileOffsets: 324, tileCounts: 325, format: 339, metadata: 42112, nodata: 42113,
}
const wanted = [...Object.values(geoTags), ...Object.values(tags).filter((tag) => ![tags.stripOffsets, tags.stripCounts, tags.tileOffsets, tags.tileCounts].includes(tag))]

/** Reads the header of a GeoTIFF and checks every number in it. */
export async function readLayout(reader: RangeReader, budget: Budget): Promise<Layout> {
  const directory = await readDirectory(reader, wanted, budget)
  const keys = geoKeysOf(directory)
  const crs = crsOf(keys) ?? reader.crs
  if (crs === undefined) throw broken('does not name its coordinate system')
  return { ...cellsOf(directory), crs, projection: known(crs), place: placeOf(directory, keys) }
}

function known(crs: string): Projection {
  try {
    return projectionOf(crs)
  } catch (cause) {
    throw new UpstreamError('unsupported_request', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function cellsOf(directory: Directory): Omit<Layout, 'crs' | 'projection' | 'place'> {
  const { littleEndian } = directory
  const number = (tag: number, least: number, most: number, otherwise?: number) => {
    const value = directory.numbers(tag)?.[0] ?? otherwise
    if (value !== undefined && Number.isInteger(value) && value >= least && value <= most) return value
    throw broken(`has ${value ?? 'no value'} in tag ${tag}, which takes ${least} to ${most}`)
  }
  const width = number(tags.width, 1, sideMax)
  const height = number(tags.height, 1, sideMax)
  const bands = number(tags.bands, 1, bandsMax, 1)
  const isTiled = directory.count(tags.tileOffsets) > 0
  const chunkWidth = isTiled ? number(tags.tileWidth, 1, sideMax) : width
  const chunkHeight = isTiled ? number(tags.tileHeight, 1, sideMax) : Math.min(height, number(tags.rowsPerStrip, 1, 2 ** 32 - 1, height))
  const isPlanar = number(tags.planes, 1, 2, 1) === 2
  const stride = isPlanar ? 1 : bands
  const sample = sampleOf(directory)
  const compression = compressionOf(number(tags.compression, 0, 65_535, 1))
  const predictor = predictorOf(number(tags.predictor, 0, 65_535, 1), sample)
  const chunk_bytes = chunkWidth * chunkHeight * stride * sampleArrays[sample].BYTES_PER_ELEMENT
  if (chunk_bytes > chunkMax_bytes) throw new UpstreamError('too_large', `A tile of the raster has ${chunkWidth} by ${chunkHeight} cells, ${chunk_bytes} bytes: more than ${chunkMax_bytes}.`)
  const across = Math.ceil(width / chunkWidth)
  const perPlane = across * Math.ceil(height / chunkHeight)
  const [offsets, counts] = isTiled ? [tags.tileOffsets, tags.tileCounts] : [tags.stripOffsets, tags.stripCounts]
  const chunks = perPlane * (isPlanar ? bands : 1)
  for (const tag of [offsets, counts]) if (directory.count(tag) !== chunks) throw broken(`names the places of ${directory.count(tag)} tiles, and has ${chunks}`)

  return {
    width, height, bands, chunkWidth, chunkHeight, across, sample,
    nodata: nodataOf(directory.text(tags.nodata)),
    scales: scalesOf(directory.text(tags.metadata) ?? ''),
    async bytesOf(chunk, budget) {
      const [offset, length] = await Promise.all([directory.at(offsets, chunk, budget), directory.at(counts, chunk, budget)])
      if (length > chunk_bytes * growth.factor + growth.bytes) throw broken(`says that a tile of ${chunk_bytes} bytes takes ${length}`)
      return length === 0 ? null : { offset, length }
    },
    chunkOf: (row, band) => (isPlanar ? (band - 1) * perPlane : 0) + row * across,
    formOf(chunk, band) {
      const row = Math.floor((chunk % perPlane) / across)
      const rows = isTiled ? chunkHeight : Math.min(chunkHeight, height - row * chunkHeight)
      return { width: chunkWidth, rows, fullRows: chunkHeight, stride, take: isPlanar ? 0 : band - 1, sample, compression, predictor, littleEndian }
    },
  }
}

function sampleOf(directory: Directory): Sample {
  const bits = directory.numbers(tags.bits) ?? [1]
  const formats = directory.numbers(tags.format) ?? [1]
  const name = `${['', 'uint', 'int', 'float'][formats[0] ?? 1] ?? ''}${bits[0]}`
  const isEven = bits.every((it) => it === bits[0]) && formats.every((it) => it === formats[0])
  if (isEven && isSample(name)) return name
  throw new UpstreamError('unsupported_request', `The raster has cells of ${bits.slice(0, 8).join(', ')} bits in the formats ${formats.slice(0, 8).join(', ')}, which we cannot read.`)
}

function isSample(name: string): name is Sample {
  return Object.hasOwn(sampleArrays, name)
}

function compressionOf(code: number): ChunkForm['compression'] {
  for (const [known, name] of Object.entries(compressions)) if (Number(known) === code) return name
  throw new UpstreamError('unsupported_request', `The raster is compressed by method ${code}, and we know none, LZW, DEFLATE and ZSTD.`)
}

function predictorOf(predictor: number, sample: Sample): number {
  if (predictor === 1 || predictor === 2 || (predictor === 3 && sample.startsWith('float'))) return predictor
  throw new UpstreamError('unsupported_request', `The raster has ${sample} cells with predictor ${predictor}, which we cannot read.`)
}

function nodataOf(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null
  const value = /^[-+]?nan$/i.test(text.trim()) ? NaN : Number(text.trim().replace(/^(-?)inf$/i, '$1Infinity'))
  return Number.isNaN(value) && !/nan/i.test(text) ? null : value
}

/** What GDAL writes beside: `<Item name="SCALE" sample="0" role="scale">0.1</Item>`, by band from 1. */
function scalesOf(xml: string): Layout['scales'] {
  const scales: Layout['scales'] = new Map()
  for (const [, attributes, text] of xml.matchAll(/<Item ([^<>]*)>([^<]*)<\/Item>/g)) {
    const role = /role="(scale|offset)"/.exec(attributes!)?.[1]
    const band = Number(/sample="(\d+)"/.exec(attributes!)?.[1] ?? NaN) + 1
    const value = Number(text)
    if (role === undefined || Number.isNaN(band) || !Number.isFinite(value)) continue
    scales.set(band, { scale: 1, offset: 0, ...scales.get(band), [role]: value })
  }
  return scales
}

const rasterPixelIsPoint = 2

function placeOf({ numbers }: Directory, keys: GeoKeys): Place {
  const found = fromMatrix(numbers(geoTags.matrix)) ?? fromTiePoint(numbers(geoTags.tiePoints), numbers(geoTags.scale))
  if (!found) throw broken('does not say where it lies')
  const { x, y, step_x, step_y } = found
  if (![x, y, step_x, step_y].every(Number.isFinite) || step_x <= 0 || step_y === 0) throw broken(`lies at ${x}, ${y} in steps of ${step_x}, ${step_y}`)
  // The tie is to the centre of the first cell there.
  const half = keys.get(1025) === rasterPixelIsPoint ? 0.5 : 0
  return { x: x - half * step_x, y: y - half * step_y, step_x, step_y }
}

function fromMatrix(matrix: number[] | undefined): Place | null {
  if (!matrix || matrix.length < 16) return null
  if (matrix[1] !== 0 || matrix[4] !== 0) throw new UpstreamError('unsupported_request', 'The raster is turned against its coordinate system, which we cannot read.')
  return { x: matrix[3]!, y: matrix[7]!, step_x: matrix[0]!, step_y: matrix[5]! }
}

function fromTiePoint(tie: number[] | undefined, scale: number[] | undefined): Place | null {
  if (!tie || tie.length < 6 || !scale || scale.length < 2) return null
  const [column, row, , x, y] = tie as [number, number, number, number, number]
  const [step_x, step_y] = [scale[0]!, -Math.abs(scale[1]!)]
  return { x: x - column * step_x, y: y - row * step_y, step_x, step_y }
}
