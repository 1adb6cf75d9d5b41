import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { areaLimits, type AreaGeometry } from '../../areas/area-schema.ts'
import { noShapesError, shapeOfFeature } from '../../areas/shape/feature-shapes.ts'
import { shapeTextOf } from '../../areas/shape/shape-text.ts'
import { csvChunks } from '../../bulk/csv-chunks.ts'
import { pluralize } from '../../model/text.ts'
import { toDegreesOf, type ToDegrees } from '../../files/crs.ts'
import type { InputFeature, InputFile } from '../../files/input-file.ts'
import { normalizeParts } from '../../files/normalize-parts.ts'
import { FileError } from '../../files/file-error.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import { recordMax_characters } from '../../files/table/csv-records.ts'
import type { ColumnMapping } from '../../files/table/upload-columns.ts'

/**
 * What became of a file of features. `kind` and `mapping` are null for a file without geometries, whose location is in
 * its attributes. `ignored`: features that a run of this kind cannot answer.
 */
export type PlacesTable = {
  format: string
  kind: RunKind | null
  mapping: ColumnMapping | null
  ignored: number
  crs: string | null
}

/** The attributes of the features of a file. No table has this many columns. */
const attributesMax = 1_000

/** The only shape of a file of features. @throws {FileError} if there is none, or there are several. */
export async function readOnlyShape(open: () => Promise<InputFile>, name: string): Promise<AreaGeometry> {
  return withFile(open, async (file) => {
    const how = { toDegrees: toDegreesOf(file.crs, name, ''), name }
    let [only, number]: [AreaGeometry | null, number] = [null, 0]
    for await (const { features } of file.batches())
      for (const feature of features) {
        const shape = shapeOfFeature(feature, ++number, how)
        if (shape && only)
          throw new FileError(
            `${name} has several shapes. Use a file with one shape. To answer all of them, use \`fieldstone run\`.`,
          )
        only = shape?.geometry ?? only
      }
    if (!only) throw noShapesError(name, number)
    return only
  })
}

/** What the features of a file have. */
type Contents = { names: string[] } & Record<FeatureKind, number>
type FeatureKind = 'points' | 'areas' | 'invalid' | 'others'

/**
 * Writes the features of a file as a table: their attributes, and their point or their shape. The same file becomes
 * the same table. `kind` is what the user chose. @throws {FileError}
 */
export async function writePlacesTable(
  open: () => Promise<InputFile>,
  options: { name: string; kind: RunKind | null; crs: string | null; to: string },
): Promise<PlacesTable> {
  // The columns are known after the last feature, so that the file is read twice.
  const contents = await withFile(open, (file) => contentsOf(file, options.name))
  return withFile(open, (file) => writeRows(file, contents, options))
}

async function withFile<T>(open: () => Promise<InputFile>, use: (file: InputFile) => Promise<T>): Promise<T> {
  const file = await open()
  try {
    return await use(file)
  } finally {
    file.close()
  }
}

async function writeRows(
  file: InputFile,
  { names, points, areas, invalid, others }: Contents,
  { name, kind, crs, to }: Parameters<typeof writePlacesTable>[1],
): Promise<PlacesTable> {
  const write = (columns: string[], rows: AsyncIterable<unknown[]>) =>
    pipeline(Readable.from(csvChunks([...names, ...columns], rows)), createWriteStream(to))
  const common = { format: file.format }
  if (points + areas + invalid === 0) {
    if (names.length === 0) throw noShapesError(name, others)
    await write(
      [],
      rowsOf(file, names, () => []),
    )
    return { ...common, kind: null, mapping: null, ignored: 0, crs: null }
  }
  const isOfPoints = points > 0 && (areas === 0 || kind === 'fetch_batch' || kind === 'lookup_batch')
  const isOfAreas = kind === 'area_batch' || !isOfPoints
  const system = crs ?? file.crs
  const toDegrees = toDegreesOf(system, name, ', or set its coordinate system with --crs')
  if (isOfAreas) {
    const shape = freeName('shape', names)
    await write(
      [shape],
      rowsOf(file, names, (feature, number) => shapeCellOf(feature, number, { toDegrees, name })),
    )
    return { ...common, kind: 'area_batch', mapping: { location: shape }, ignored: points + others, crs: system }
  }
  const [lat, lng] = [freeName('lat', names), freeName('lng', names)]
  await write(
    [lat, lng],
    rowsOf(file, names, ({ parts }) => pointCellsOf(parts, toDegrees)),
  )
  return { ...common, kind: null, mapping: { lat, lng }, ignored: areas, crs: system }
}

async function contentsOf(file: InputFile, name: string): Promise<Contents> {
  const names = new Set(file.columns)
  const counts = { points: 0, areas: 0, invalid: 0, others: 0 }
  for await (const { features } of file.batches())
    for (const { parts, properties } of features) {
      counts[kindOf(parts)]++
      for (const attribute in properties) names.add(attribute)
      if (names.size > attributesMax)
        throw new FileError(
          `The features of ${name} have more than ${attributesMax.toLocaleString('en-US')} attributes.`,
        )
    }
  return { names: [...names], ...counts }
}

function kindOf(parts: InputFeature['parts']): FeatureKind {
  if (parts === 'invalid') return 'invalid'
  if (parts.length === 0) return 'others'
  return parts.every(({ kind }) => kind === 'point') ? 'points' : 'areas'
}

type CellsOf = (feature: InputFeature, number: number) => unknown[] | null

/** The rows of a table. A feature without cells is none. */
async function* rowsOf(file: InputFile, names: readonly string[], cellsOf: CellsOf): AsyncGenerator<unknown[]> {
  let number = 0
  for await (const { features } of file.batches())
    for (const feature of features) {
      const cells = cellsOf(feature, ++number)
      if (cells) yield [...names.map((column) => feature.properties[column]), ...cells]
    }
}

/** A name that no attribute has, whatever its capitals. */
function freeName(name: string, names: readonly string[]): string {
  const isTaken = names.some((it) => it.toLowerCase() === name)
  return isTaken ? freeName(name.startsWith('geometry_') ? `${name}_` : `geometry_${name}`, names) : name
}

/** The latitude and longitude of a point; a text that is no number for several points; null for an area. */
function pointCellsOf(parts: InputFeature['parts'], toDegrees: ToDegrees): unknown[] | null {
  if (parts === 'invalid') return ['no valid geometry', '']
  if (kindOf(parts) === 'areas') return null
  if (parts.length !== 1) return parts.length === 0 ? ['', ''] : [pluralize(parts.length, 'point'), '']
  const converted = normalizeParts(parts, toDegrees)
  const [lng, lat] = Array.isArray(converted) ? converted[0]!.paths[0]! : ['no position on the earth', '']
  return [lat, lng]
}

/**
 * The shape of a polygon or a line; null for other features. A shape that is not valid, or too long for a row, has a
 * cell that says so. Its row is rejected, and the others are answered.
 */
function shapeCellOf(
  feature: InputFeature,
  number: number,
  how: { toDegrees: ToDegrees; name: string },
): [string] | null {
  try {
    const shape = shapeOfFeature(feature, number, how)
    return shape && [shapeText(shape.geometry)]
  } catch (error) {
    if (error instanceof FileError) return [`invalid: ${error.message}`]
    throw error
  }
}

function shapeText(geometry: AreaGeometry): string {
  const text = shapeTextOf({ geometry })
  return text.length <= recordMax_characters / 2
    ? text
    : `polygon: ${pluralize(text.split(/[;|]/).length, 'position')}, more than ${areaLimits.vertices.toLocaleString('en-US')}`
}
