import type { UpstreamError } from '../model/error.ts'
import { geoTags, type GeoKeys } from './geo-keys.ts'
import { corruptTiffError, type TiffDirectory } from './tiff-directory.ts'
import { UnsupportedRasterError } from './unsupported-raster.ts'

/** The corner and the size of the cells, in the units of the coordinate system. */
export type GeoTransform = { x: number; y: number; step_x: number; step_y: number }

const rasterPixelIsPoint = 2

/** Returns the position of a raster. @throws {UpstreamError} if it has none, or is not aligned with its coordinate system. */
export function geoTransformOf({ numbers }: TiffDirectory, keys: GeoKeys): GeoTransform {
  const transform =
    fromTransformation(numbers(geoTags.transformation)) ??
    fromTiePoint(numbers(geoTags.tiePoints), numbers(geoTags.pixelScale))
  if (!transform) throw noPositionError(numbers(geoTags.tiePoints) ?? [])
  const { x, y, step_x, step_y } = transform
  if (![x, y, step_x, step_y].every(Number.isFinite) || step_x <= 0 || step_y === 0)
    throw corruptTiffError(`has the invalid position ${x}, ${y} with cell size ${step_x}, ${step_y}`)
  // With RasterPixelIsPoint, the tie point is the center of a cell.
  const centerOffset = keys.get(1025) === rasterPixelIsPoint ? 0.5 : 0
  return { x: x - centerOffset * step_x, y: y - centerOffset * step_y, step_x, step_y }
}

/** Several tie points, each of six numbers, locate a raster that is not aligned with its coordinate system. */
function noPositionError(tiePoints: number[]): UpstreamError {
  return tiePoints.length > 6
    ? new UnsupportedRasterError('The raster is located by control points only.', 'warp')
    : new UnsupportedRasterError('Invalid GeoTIFF: the file has no position.', 'assign_position', {
        code: 'bad_response',
      })
}

function fromTransformation(transformation: number[] | undefined): GeoTransform | null {
  if (!transformation || transformation.length < 16) return null
  if (transformation[1] !== 0 || transformation[4] !== 0)
    throw new UnsupportedRasterError(
      'The raster is rotated. Only rasters aligned with their coordinate system are supported.',
      'warp',
    )
  return { x: transformation[3]!, y: transformation[7]!, step_x: transformation[0]!, step_y: transformation[5]! }
}

function fromTiePoint(tiePoint: number[] | undefined, pixelScale: number[] | undefined): GeoTransform | null {
  if (!tiePoint || tiePoint.length < 6 || !pixelScale || pixelScale.length < 2) return null
  const [column, row, , x, y] = tiePoint as [number, number, number, number, number]
  const [step_x, step_y] = [pixelScale[0]!, -Math.abs(pixelScale[1]!)]
  return { x: x - column * step_x, y: y - row * step_y, step_x, step_y }
}
