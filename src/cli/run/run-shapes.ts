import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { areaLimits, type AreaGeometry } from '../../areas/area-schema.ts'
import { shapeTextOf } from '../../areas/shape/shape-text.ts'
import { noShapesError } from '../../areas/shape/shapes-file.ts'
import { csvChunks } from '../../bulk/converted-input.ts'
import { fileErrorText, pluralize } from '../../model/text.ts'
import { PackError } from '../../packs/pack-error.ts'
import { recordMax_characters } from '../../runs/upload/csv-records.ts'
import { openShapeFile, type ShapeFile } from './shape-files.ts'
import { UsageError } from '../usage-error.ts'

/** The column of a table that has the shapes. */
const shapeColumn = 'shape'
/** The names that a run takes for the column of its shapes. */
const shapeColumnPattern = /^(shape|geometry|geojson)$/i

/** The attributes of the features of a file. No table has this many columns. */
const attributesMax = 1_000

/**
 * Writes the shapes of a file as a table: their attributes, and the column `shape`. The same file becomes the same
 * table. Returns the number of features that are neither a polygon nor a line. @throws {UsageError}
 */
export function writeShapeTable(path: string, name: string, to: string): Promise<number> {
  return withShapeFile(path, name, async (file) => {
    // The columns are known after the last shape, so that the file is read twice.
    const { names, ignored } = attributesOf(file, name)
    const columns = names.map((column) => attributeColumnOf(column, names))
    const rows = csvChunks([...columns, shapeColumn], rowsOf(file, names))
    await pipeline(Readable.from(rows), createWriteStream(to))
    return ignored
  })
}

function attributesOf(file: ShapeFile, name: string): { names: string[]; ignored: number } {
  const names = new Set<string>()
  let [shapes, ignored] = [0, 0]
  for (const shape of file.shapes()) {
    if (shape) shapes++
    else ignored++
    for (const attribute of Object.keys(shape?.properties ?? {})) names.add(attribute)
    if (names.size > attributesMax)
      throw new PackError(`The features of ${name} have more than ${attributesMax.toLocaleString('en-US')} attributes.`)
  }
  if (shapes === 0) throw noShapesError(name, ignored)
  return { names: [...names], ignored }
}

function* rowsOf(file: ShapeFile, names: readonly string[]): Generator<unknown[]> {
  for (const shape of file.shapes())
    if (shape) yield [...names.map((column) => shape.properties[column]), shapeCellOf(shape.geometry)]
}

/** Returns the column of an attribute. A name that a run would read as the column of shapes gets a prefix. */
function attributeColumnOf(name: string, names: readonly string[]): string {
  if (!shapeColumnPattern.test(name)) return name
  let column = `attribute_${name}`
  while (names.includes(column)) column = `attribute_${column}`
  return column
}

/** A shape that is too long for a row has a cell that says so. Its row is rejected, and the others are answered. */
function shapeCellOf(geometry: AreaGeometry): string {
  const text = shapeTextOf({ geometry })
  return text.length <= recordMax_characters / 2
    ? text
    : `polygon: ${pluralize(text.split(/[;|]/).length, 'position')}, more than ${areaLimits.vertices.toLocaleString('en-US')}`
}

/** Reads the geometry of a file with one shape. @throws {UsageError} */
export function readOnlyShape(path: string, name: string): Promise<AreaGeometry> {
  return withShapeFile(path, name, (file) => {
    let only: AreaGeometry | null = null
    let ignored = 0
    for (const shape of file.shapes()) {
      if (shape && only)
        throw new UsageError(
          `${path} has several shapes. Use a file with one shape. To answer all of them, use \`fieldstone run\`.`,
        )
      if (shape) only = shape.geometry
      else ignored++
    }
    if (!only) throw noShapesError(name, ignored)
    return only
  })
}

/** Uses a file of shapes. @throws {UsageError} if it cannot be read. */
async function withShapeFile<T>(path: string, name: string, use: (file: ShapeFile) => T | Promise<T>): Promise<T> {
  let file: ShapeFile | null = null
  try {
    file = await openShapeFile(path, name)
    return await use(file)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof PackError) throw new UsageError(error.message, { cause: error })
    throw new UsageError(`Cannot read ${path}: ${fileErrorText(error)}.`, { cause: error })
  } finally {
    file?.close()
  }
}
