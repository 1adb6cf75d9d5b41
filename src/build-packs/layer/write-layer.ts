import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import {
  areaColumn,
  countFeatures,
  openGeopackage,
  partColumn,
  quoteIdentifier,
} from '../../files/geopackage/geopackage.ts'
import { findColumn } from '../../packs/layer/pack-columns.ts'
import { FileError } from '../../files/file-error.ts'
import type { PackRequirements } from '../../packs/pack.ts'
import { columnTypeOf } from '../column-types.ts'
import { dropTable, createGeopackageTables, registerTable } from '../../files/geopackage/geopackage-tables.ts'
import type { Recipe } from '../../files/recipe.ts'
import { writeRtree } from '../../files/geopackage/rtree-writer.ts'
import type { StagingSummary } from './staging.ts'

/** A layer to write. */
export type LayerJob = {
  /** Whether the inputs are complete, so that a layer without features says that there are none. */
  mayBeEmpty?: boolean
  /** The time of the data as it is written into the file; by default now. */
  lastChange?: string
  /** A pack whose other layers are kept. */
  existingPack: string | null
  layer: string
  /** What the catalog reads of this layer. */
  requirements: PackRequirements
  /** The operator's condition. */
  where: string | null
  /** How the catalog says to read the publisher's files. */
  recipe: Pick<Recipe, 'skip_rows' | 'records' | 'keep' | 'where' | 'one_of' | 'lines'>
}

/**
 * Writes the staged features as a layer of a GeoPackage, in their final form and order. Returns the number of features.
 * @throws FileError if a condition is invalid or no feature passes.
 */
export function writeLayer(job: LayerJob, stagingPath: string, summary: StagingSummary, path: string): number {
  if (job.existingPack !== null) {
    openGeopackage(job.existingPack).close()
    copyFileSync(job.existingPack, path)
  }
  const db = new Database(path, { create: true })
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run('PRAGMA cache_size = -32768')
    db.run(`ATTACH ${quoteText(stagingPath)} AS source`)
    db.run('BEGIN')
    if (job.existingPack !== null) dropTable(db, job.layer)
    createGeopackageTables(db)
    const features = fillLayer(db, job, summary)
    db.run('COMMIT')
    db.run('DETACH source')
    return features
  } catch (error) {
    throw toPackError(error, job)
  } finally {
    db.close()
  }
}

function fillLayer(db: Database, job: LayerJob, { columns, types, subdivided, ...bounds }: StagingSummary): number {
  const isTable = job.requirements.tables.length > 0
  const unusedName = (...names: string[]) =>
    names.find((name) => !columns.some((column) => column.name.toLowerCase() === name))!
  const [key, geometry] = [unusedName('fid', 'fs_fid', 'fs_fid_'), unusedName('geom', 'fs_geom', 'fs_geom_')]
  const typedColumns = columns.map((column) => ({ name: column.name, ...columnTypeOf(column) }))
  const type = types.size === 1 ? [...types][0]! : 'GEOMETRY'
  const declarations = [
    `${quoteIdentifier(key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
    ...(isTable ? [] : [`${quoteIdentifier(geometry)} ${type}`]),
    ...typedColumns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`),
    ...(subdivided > 0 ? [`${partColumn} INTEGER`, `${areaColumn} REAL`] : []),
  ]
  db.run(`CREATE TABLE ${quoteIdentifier(job.layer)} (${declarations.join(', ')})`)
  const pieceColumns = subdivided > 0 ? [partColumn, areaColumn] : []
  const targetColumns = [...(isTable ? [] : [geometry]), ...typedColumns.map(({ name }) => name), ...pieceColumns]
    .map(quoteIdentifier)
    .join(', ')
  const stagedRows = `SELECT rowid AS fs_row, fs_hilbert, fs_blob, ${partColumn}, ${areaColumn}${typedColumns.map(({ name, expression }) => `, ${expression} AS ${quoteIdentifier(name)}`).join('')} FROM source.staged`
  const selectList = `${isTable ? '' : 'fs_blob'}${typedColumns.map(({ name }, i) => `${isTable && i === 0 ? '' : ', '}${quoteIdentifier(name)}`).join('')}${pieceColumns.map((name) => `, ${name}`).join('')}`
  const conditions = conditionsOf(job).map((condition) => `(${condition}\n)`)
  const filteredRows = `(${stagedRows})${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`
  const { one_of } = job.recipe
  const source = one_of
    ? `(SELECT *, ${rankOf(one_of)} AS fs_rank FROM ${filteredRows}) WHERE fs_rank = 1`
    : filteredRows
  db.run(
    `INSERT INTO ${quoteIdentifier(job.layer)} (${targetColumns}) SELECT ${selectList} FROM ${source} ORDER BY ${isTable ? 'fs_row' : 'fs_hilbert, fs_row'}`,
  )
  if (subdivided > 0)
    db.run(
      `CREATE INDEX ${quoteIdentifier(`${job.layer}_part`)} ON ${quoteIdentifier(job.layer)} (${partColumn}) WHERE ${partColumn} IS NOT NULL`,
    )
  const { rows } = db.query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${quoteIdentifier(job.layer)}`).get()!
  if (rows === 0 && !job.mayBeEmpty)
    throw new FileError(`No feature passes the condition ${conditionsOf(job).join(' AND ')}.`)
  registerTable(db, job.layer, isTable ? null : { type, geometry, ...bounds }, job.lastChange)
  if (isTable) indexKey(db, job)
  else writeRtree(db, { table: job.layer, key, geometry })
  return countFeatures(db, { name: job.layer, rows, isSubdivided: subdivided > 0 })
}

/** The conditions of the recipe and the operator. */
function conditionsOf({ recipe, where }: Pick<LayerJob, 'recipe' | 'where'>): string[] {
  return [recipe.where, where].filter((condition) => typeof condition === 'string')
}

/**
 * An expression that is 1 for all pieces of the feature with the largest value in its group; the first one in a tie.
 */
function rankOf({ by, most }: NonNullable<Recipe['one_of']>): string {
  return `RANK() OVER (PARTITION BY ${by.map(quoteIdentifier).join(', ')} ORDER BY ${quoteIdentifier(most)} DESC, ${partColumn}, CASE WHEN ${partColumn} IS NULL THEN fs_row END)`
}

/** Indexes the first of the catalog's keys that the table has. */
function indexKey(db: Database, { layer, requirements }: LayerJob): void {
  const names = new Map(
    db
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(layer)
      .map(({ name }) => [name.toLowerCase(), name]),
  )
  const keys = requirements.tables
    .flatMap((table) => table.keys)
    .map((key) => key.map((column) => findColumn(column, names, new Map())))
  const key = keys.find((columns): columns is string[] => columns.every((column) => column !== undefined))
  if (key)
    db.run(
      `CREATE INDEX ${quoteIdentifier(`${layer}_key`)} ON ${quoteIdentifier(layer)} (${key.map(quoteIdentifier).join(', ')})`,
    )
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Reports an SQL error as an invalid condition, because conditions come from the operator or the recipe. */
function toPackError(error: unknown, job: LayerJob): unknown {
  const isSql = error instanceof Error && 'code' in error && error.code === 'SQLITE_ERROR'
  const { where, recipe } = job
  if (!isSql || (where === null && recipe.where === undefined && recipe.one_of === undefined)) return error
  const conditions = [
    ...(recipe.where === undefined ? [] : [recipe.where]),
    ...(recipe.one_of ? [[...recipe.one_of.by, recipe.one_of.most].join(', ')] : []),
    ...(where === null ? [] : [`--where ${where}`]),
  ]
  return new FileError(`${conditions.join(' and ')} cannot be evaluated: ${error.message}.`, { cause: error })
}
