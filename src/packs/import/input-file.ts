import type { GeometryPart } from '../../geo/wkb-write.ts'
import type { Properties } from '../../model/source.ts'
import type { Recipe } from './recipe.ts'

/** A feature or row as a file has it, in the file's own coordinates. No parts: it has no geometry, or an empty one. */
export type InputFeature = { parts: GeometryPart[] | 'invalid'; properties: Properties }

/** A stretch of a file; `progress`: how much of the file is read with it, 0 to 1. */
export type InputBatch = { features: InputFeature[]; progress: number }

/**
 * A file that features are read from. `crs`: a code such as EPSG:5070 or well-known text, `null` where the file does not say; `hasGeometry`: it is more
 * than a table of attributes; `columns`: the names
 * it declares; `isText`: it knows no numbers, so that what looks like a number may be one.
 */
export type InputFile = {
  format: string
  crs: string | null
  hasGeometry: boolean
  columns: string[]
  isText: boolean
  batches: () => Iterable<InputBatch> | AsyncIterable<InputBatch>
  close(): void
}

/**
 * What may be said of a file: which of its layers, which columns of a table are the latitude and the longitude, how many lines below their names are
 * no data, and how records without names are read.
 */
export type InputOptions = {
  layer: string | null
  expectedLayer: string
  lat: string | null
  lng: string | null
  skip_rows?: number | undefined
  records?: Recipe['records']
}

export const inputBatchSize = 1_000
