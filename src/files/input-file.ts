import type { GeometryPart } from '../geo/text/wkb-write.ts'
import type { Properties } from '../model/source.ts'
import type { Recipe } from './recipe.ts'

/** A feature or row in the file's own coordinates. `parts` is empty if the geometry is missing or empty. */
export type InputFeature = { parts: GeometryPart[] | 'invalid'; properties: Properties }

/** A batch of features. `progress` is the share of the file read so far, 0 to 1. */
export type InputBatch = { features: InputFeature[]; progress: number }

/** An open input file. */
export type InputFile = {
  format: string
  /** A code such as EPSG:5070 or well-known text; `null` if the file does not declare one. */
  crs: string | null
  /** False for a table of attributes. */
  hasGeometry: boolean
  /** The columns that the file declares. */
  columns: string[]
  /** The format has only texts, so a text that looks like a number may be one. */
  isText: boolean
  batches: () => Iterable<InputBatch> | AsyncIterable<InputBatch>
  close(): void
}

/** How to read an input file. */
export type InputOptions = {
  /** The layer to read, as named by the operator. */
  layer: string | null
  /** The layer name in the catalog. */
  expectedLayer: string
  /** The column of the latitude. */
  lat: string | null
  /** The column of the longitude. */
  lng: string | null
  /** The coordinate system that the user named; null or absent for that of the file. */
  crs?: string | null
  /** The rows have no location. */
  isTable?: boolean
  /** The number of lines below the column names that are not data. */
  skip_rows?: number | undefined
  /** How to read records without column names. */
  records?: Recipe['records']
  /** Attributes are only copied: numbers keep their text, members of members become columns, features their id. */
  keepsText?: boolean
  /** The name of the option that chooses a layer, in errors. */
  layerOption?: '--layer' | '--source-layer'
  /** The endings of other files of an archive that the caller reads. */
  otherExtensions?: readonly string[]
}

/** Features per batch. */
export const inputBatchSize = 1_000
