import { openRasters, type Rasters } from '../../src/raster/rasters.ts'
import type { RangeReader, Raster } from '../../src/raster/raster.ts'
import { workers } from '../../src/workers.ts'
import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'

export const rasterBudget = { signal: new AbortController().signal }

/** Opens rasters with their own worker, for one test file. */
export const openTestRasters = (): Rasters => openRasters({ startWorker: workers.raster })

let count = 0

/** A file in memory that records its reads. */
export function memoryReader(bytes: Uint8Array): RangeReader & { reads: { offset: number; length: number }[] } {
  const reads: { offset: number; length: number }[] = []
  const read: RangeReader['read'] = async (offset, length, { signal }) => {
    signal.throwIfAborted()
    reads.push({ offset, length })
    return bytes.subarray(Math.min(offset, bytes.length), offset + length)
  }
  return { id: `held ${++count}`, reads, read }
}

export function openTestRaster(rasters: Rasters, form: TiffSpec): Promise<Raster> {
  return rasters.open(memoryReader(buildGeotiff(form)), rasterBudget)
}

/** The center of a cell of the default raster of `buildGeotiff`: 40 N 100 W, cells of 0.01 degrees. */
export const cellCenter = (x: number, y: number) => ({ lat: 40 - (y + 0.5) * 0.01, lng: -100 + (x + 0.5) * 0.01 })

/** The code of an UpstreamError, or the error itself. */
export const rejectionCode = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  )
