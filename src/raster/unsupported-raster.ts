import { UpstreamError, type UpstreamCode } from '../model/error.ts'

/**
 * What makes a raster readable: a conversion to another coordinate system (`warp`), to another file (`convert`) or to
 * other cells (`cells`), or the coordinate system or the position that the file lacks.
 */
export type RasterRemedy = 'warp' | 'convert' | 'cells' | 'assign_crs' | 'assign_position'

/** A valid GeoTIFF that cannot be read, and what its owner can do about it. */
export class UnsupportedRasterError extends UpstreamError {
  readonly remedy: RasterRemedy

  constructor(message: string, remedy: RasterRemedy, options: ErrorOptions & { code?: UpstreamCode } = {}) {
    super(options.code ?? 'unsupported_request', message, options)
    this.remedy = remedy
  }
}

/** The commands of GDAL. `<file>` is the input. */
const commands: Record<RasterRemedy, string> = {
  warp: 'gdalwarp -t_srs EPSG:4326 -of COG -co COMPRESS=DEFLATE <file> <new file>',
  convert: 'gdal_translate -of COG -co COMPRESS=DEFLATE <file> <new file>',
  cells: 'gdal_translate -ot Float32 -of COG -co COMPRESS=DEFLATE <file> <new file>',
  assign_crs: 'gdal_translate -a_srs EPSG:<code> -of COG -co COMPRESS=DEFLATE <file> <new file>',
  assign_position:
    'gdal_translate -a_srs EPSG:<code> -a_ullr <west> <north> <east> <south> -of COG -co COMPRESS=DEFLATE <file> <new file>',
}

/** Returns the sentence that tells what to do about an error of a raster; empty if nothing is known to help. */
export function rasterRemedyText(error: UpstreamError): string {
  if (error instanceof UnsupportedRasterError) return `To convert it, run ${commands[error.remedy]}.`
  if (error.code === 'too_large') return `To convert it, run ${commands.convert}.`
  return error.code === 'bad_response' ? 'The file is damaged. Get it again.' : ''
}
