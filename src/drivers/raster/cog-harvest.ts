import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import { sampleArrays } from '../../raster/decode.ts'
import { readRasterLayout } from '../../raster/layout.ts'
import { createAbsentMatcher, type AbsentReply } from '../rest/absent-reply.ts'
import { mapInPairs, newestTime, type HarvestDeps, type HarvestEstimate, type HarvestedRaster } from '../harvest.ts'
import { createHttpReader } from './http-reader.ts'
import {
  createMosaicFile,
  groupMax_bytes,
  joinFiles,
  writeMosaic,
  type Mosaic,
  type MosaicFile,
} from './raster-mosaic.ts'
import { countTiles, epsgOf } from './raster-window.ts'
import { crsTagsOfEpsg, tileSide } from './tiled-geotiff.ts'

/** The files of a raster that is copied. `urlsIn` returns the files that can have cells of a box. */
export type CogCopy = {
  host: string
  urlsIn: (box: QueryBox) => string[]
  band: number
  nodata: readonly number[]
  crs: string | undefined
  absent: AbsentReply | undefined
}

/** The size of the copy of boxes, from the headers of the files. */
export async function estimateCog(
  copy: CogCopy,
  boxes: readonly QueryBox[],
  deps: HarvestDeps,
  budget: Budget,
): Promise<HarvestEstimate> {
  const mosaic = await openMosaic(copy, boxes, deps, budget)
  if (!mosaic) return { requests: 1, features: 0, bytes: 0 }
  const bytes = countTiles(mosaic.windows) * tileSide ** 2 * sampleArrays[mosaic.layout.sampleType].BYTES_PER_ELEMENT
  return { requests: mosaic.files.length * 4 + Math.ceil(bytes / groupMax_bytes), features: 0, bytes: bytes / 2 }
}

/** When the newest file of the boxes was last changed, by the header Last-Modified. Null if one does not have it. */
export async function lastEditOfCog(
  { urlsIn, absent }: CogCopy,
  boxes: readonly QueryBox[],
  { net }: HarvestDeps,
  budget: Budget,
): Promise<Date | null> {
  const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
  const replies = await mapInPairs([...new Set(boxes.flatMap(urlsIn))], (url) =>
    net.send({ url, headers: { range: 'bytes=0-0' }, acceptedStatuses }, budget),
  )
  const times_ms = replies
    .filter((reply) => !isAbsent(reply))
    .map(({ headers }) => Date.parse(headers.get('last-modified') ?? ''))
  return newestTime(times_ms.map((time_ms) => (Number.isNaN(time_ms) ? null : time_ms)))
}

/** Copies the cells of boxes from files into one GeoTIFF, in the grid of the files. */
export async function copyCog(
  copy: CogCopy,
  { boxes, path }: { boxes: readonly QueryBox[]; path: string },
  deps: HarvestDeps,
  budget: Budget,
): Promise<HarvestedRaster> {
  const mosaic = await openMosaic(copy, boxes, deps, budget)
  if (!mosaic)
    throw new UpstreamError('unsupported_request', `${copy.host} has no file for the area. There is nothing to copy.`)
  const { host: name, band, nodata } = copy
  const crsTags = crsTagsOfEpsg(epsgOf(mosaic.layout.crs, name))
  const cells = await writeMosaic(path, mosaic, { name, band, nodata, crsTags }, budget)
  const days = mosaic.files.flatMap(({ modified }) => modified ?? [])
  return { cells, vintage: days.toSorted()[0] ?? null }
}

/** A file, and the day on which it last changed. */
type CogFile = MosaicFile & { modified: string | null }

async function openMosaic(
  copy: CogCopy,
  boxes: readonly QueryBox[],
  deps: HarvestDeps,
  budget: Budget,
): Promise<Mosaic<CogFile> | null> {
  const files: CogFile[] = []
  for (const url of new Set(boxes.flatMap(copy.urlsIn))) {
    const file = await openFile(url, copy, deps, budget)
    if (file) files.push(file)
  }
  return joinFiles(files, boxes, copy.host)
}

async function openFile(
  url: string,
  { absent, crs, band }: CogCopy,
  { net }: HarvestDeps,
  budget: Budget,
): Promise<CogFile | null> {
  const reader = await createHttpReader(net, url, { absent, onChange() {} }, budget)
  if (!reader) return null
  if (crs !== undefined) reader.crs = crs
  const layout = await readRasterLayout(reader, budget)
  return { ...createMosaicFile(layout, band, reader.read), modified: reader.modified }
}

/** Points in the corners of all squares of a size that a box touches. */
export function pointsInSquares({ w, s, e, n }: QueryBox, degrees: number): Point[] {
  const steps = (from: number, to: number) => [
    ...Array.from({ length: Math.ceil((to - from) / degrees) }, (_, i) => from + i * degrees),
    to,
  ]
  return steps(s, n).flatMap((lat) => steps(w, e).map((lng) => ({ lat, lng })))
}
