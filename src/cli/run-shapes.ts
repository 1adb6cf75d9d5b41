import { createWriteStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { areaLimits, type AreaGeometry } from '../areas/area-schema.ts'
import { shapeTextOf } from '../areas/shape-text.ts'
import { readShapesFile, type ShapesOfFile } from '../areas/shapes-file.ts'
import { csvChunks } from '../bulk/converted-input.ts'
import { fileErrorText, pluralize } from '../model/text.ts'
import { PackError } from '../packs/pack-error.ts'
import { recordMax_characters } from '../runs/csv-records.ts'
import { UsageError } from './usage-error.ts'

/** The column of a table that has the shapes. */
const shapeColumn = 'shape'
/** The names that a run takes for the column of its shapes. */
const shapeColumnPattern = /^(shape|geometry|geojson)$/i

/**
 * Writes the shapes of a file as a table: their attributes, and the column `shape`. The same file becomes the same
 * table. Returns the number of features that are neither a polygon nor a line. @throws {UsageError}
 */
export async function writeShapeTable(path: string, name: string, to: string): Promise<number> {
  const { shapes, ignored } = await readShapesAt(path, name)
  const names = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties)))]
  const columns = names.map((column) => attributeColumnOf(column, names))
  const rows = shapes.map(({ geometry, properties }) => [
    ...names.map((column) => properties[column]),
    shapeCellOf(geometry),
  ])
  await pipeline(Readable.from(csvChunks([...columns, shapeColumn], rows)), createWriteStream(to))
  return ignored
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

/** Reads the shapes of a file. @throws {UsageError} */
export async function readShapesAt(path: string, name: string): Promise<ShapesOfFile> {
  try {
    return await readShapesFile(readFileSync(path), name)
  } catch (error) {
    if (error instanceof PackError) throw new UsageError(error.message, { cause: error })
    throw new UsageError(`Cannot read ${path}: ${fileErrorText(error)}.`, { cause: error })
  }
}
