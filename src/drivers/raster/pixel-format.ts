import type { Static } from '@sinclair/typebox'
import { schemaChangedError } from '../../model/error.ts'
import type { Raster } from '../../raster/raster.ts'
import { t } from '../driver.ts'

/**
 * How a raster must store its cells. `type`: `U8` is an unsigned byte, `F32` a 32-bit float; `integer` is any type of
 * whole numbers. `nodata`: the value without data that the file declares. A file must declare no scale.
 */
export const pixelFormatSchema = t.Object({
  type: t.Union(['U8', 'U16', 'S16', 'S32', 'F32', 'integer'].map((it) => t.Literal(it))),
  bands: t.Integer({ minimum: 1 }),
  nodata: t.Optional(t.Number()),
})
export type PixelFormat = Static<typeof pixelFormatSchema>

/** The format that a publisher states; undefined members are unknown. */
export type StatedFormat = { type?: string; bands?: number; nodata?: number | null; scale?: number; offset?: number }

/** What a raster no longer has of the format that its dataset counts on, such as `pixel type U8`. */
export function missingFormatOf(expected: PixelFormat, stated: StatedFormat): string[] {
  const { type, bands, nodata, scale = 1, offset = 0 } = stated
  const hasType = expected.type === 'integer' ? /^[US]\d+$/.test(type ?? '') : type === expected.type
  return [
    ...(type === undefined || hasType ? [] : [`pixel type ${expected.type}`]),
    ...(bands === undefined || bands === expected.bands ? [] : [`band count ${expected.bands}`]),
    ...(expected.nodata === undefined || nodata === undefined || nodata === expected.nodata
      ? []
      : [`no-data value ${expected.nodata}`]),
    ...(scale === 1 && offset === 0 ? [] : ['scale 1 and offset 0']),
  ]
}

/** The stated format in words, for the error. */
export function formatInWords({ type, bands, nodata, scale = 1, offset = 0 }: StatedFormat): string[] {
  return [
    ...(type === undefined ? [] : [`pixel type ${type}`]),
    ...(bands === undefined ? [] : [`band count ${bands}`]),
    ...(nodata === undefined ? [] : [nodata === null ? 'no no-data value' : `no-data value ${nodata}`]),
    ...(scale === 1 && offset === 0 ? [] : [`scale ${scale} and offset ${offset}`]),
  ]
}

/**
 * Throws if a file lacks the band, or stores its cells in another format.
 * @throws {UpstreamError} `schema_changed`.
 */
export function requireBandFormat(
  raster: Pick<Raster, 'formatOf'>,
  band: number,
  format: PixelFormat | undefined,
): void {
  const stated = raster.formatOf(band)
  const missing = [...(band > stated.bands ? [`band ${band}`] : []), ...(format ? missingFormatOf(format, stated) : [])]
  if (missing.length > 0) throw schemaChangedError(missing, formatInWords(stated))
}
