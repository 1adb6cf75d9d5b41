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
  /** The largest shape in bytes. Packs accept larger ones. */
  shapeMax_bytes?: number
  /** Attributes are only copied: numbers keep their text, members of members become columns, features their id. */
  keepsText?: boolean
  /** The name of the option that chooses a layer, in errors. */
  layerOption?: '--layer' | '--source-layer'
  /** The endings of other files of an archive that the caller reads. */
  otherExtensions?: readonly string[]
}

/** Features per batch. */
export const inputBatchSize = 1_000

/** A feature, and the share of the file read so far. */
export type ReadFeature = InputFeature & Pick<InputBatch, 'progress'>

/** Groups the features of a file. The last batch may be empty. */
export function* inputBatchesOf(read: Iterable<ReadFeature>): Generator<InputBatch> {
  let features: InputFeature[] = []
  for (const { parts, properties, progress } of read) {
    features.push({ parts, properties })
    if (features.length < inputBatchSize) continue
    yield { features, progress }
    features = []
  }
  yield { features, progress: 1 }
}

/** Does the same for features that have to be waited for. */
export async function* asyncInputBatchesOf(read: AsyncIterable<ReadFeature>): AsyncGenerator<InputBatch> {
  let features: InputFeature[] = []
  for await (const { parts, properties, progress } of read) {
    features.push({ parts, properties })
    if (features.length < inputBatchSize) continue
    yield { features, progress }
    features = []
  }
  yield { features, progress: 1 }
}

/** Returns the parts of a geometry. One that is not valid is counted and reported at the end. */
export function partsOrInvalid(parse: () => InputFeature['parts']): InputFeature['parts'] {
  try {
    return parse()
  } catch {
    return 'invalid'
  }
}

/** Returns the parts of a geometry that a file has as bytes; none if it has none. */
export function partsOfBytes(bytes: unknown, parse: (bytes: Uint8Array) => GeometryPart[]): InputFeature['parts'] {
  if (bytes === null || bytes === undefined) return []
  return partsOrInvalid(() => (bytes instanceof Uint8Array ? parse(bytes) : 'invalid'))
}
