import { createMosaicFile, joinFiles, writeMosaic } from '../../drivers/raster/raster-mosaic.ts'
import { crsTagsOfLayout } from '../../drivers/raster/tiled-geotiff.ts'
import type { QueryBox } from '../../geo/boxes.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import { openFileReader } from '../../raster/file-reader.ts'
import { readRasterLayout } from '../../raster/layout.ts'

/** A GeoTIFF, what errors call it, and the file to which its cells are copied. */
type RasterClip = { path: string; name: string; to: string }

/**
 * Copies the cells of boxes from a GeoTIFF of one band to a tiled one, in the same grid and coordinate system. Returns
 * how many cells the copy has.
 * @throws {UpstreamError} if the raster has no cells there, or cannot be copied.
 */
export async function clipRaster(
  { path, name, to }: RasterClip,
  boxes: readonly QueryBox[],
  budget: Budget,
): Promise<number> {
  const file = await openFileReader(path)
  try {
    const layout = await readRasterLayout(file, budget)
    if (layout.bands > 1) throw new UpstreamError('unsupported_request', `${name} has ${layout.bands} bands.`)
    const mosaic = joinFiles([createMosaicFile(layout, 1, file.read)], boxes, name)
    if (!mosaic) throw new UpstreamError('unsupported_request', `${name} has no cells in the area.`)
    return await writeMosaic(to, mosaic, { name, band: 1, nodata: [], crsTags: crsTagsOfLayout(layout) }, budget)
  } finally {
    file.close()
  }
}
