import { Database } from 'bun:sqlite'
import { copyFileSync, createReadStream, existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createByteCache } from '../byte-cache.ts'
import {
  areaColumn,
  countFeatures,
  formatNames,
  openGeopackage,
  partColumn,
  quoteIdentifier,
} from '../geopackage-file.ts'
import { findColumn } from '../pack-columns.ts'
import { emptyManifest } from '../pack-manifest.ts'
import { PackError } from '../pack-error.ts'
import { openGeopackagePack, type PackRequirements } from '../pack.ts'
import { columnTypeOf } from './column-types.ts'
import { toDegreesOf } from './crs.ts'
import { dropTable, createGeopackageTables, registerTable } from './geopackage-tables.ts'
import type { InputFeature, InputFile } from './input-file.ts'
import { joinPoints } from './join-points.ts'
import { openInput } from './open-input.ts'
import type { Recipe } from './recipe.ts'
import { writeRtree } from './rtree-writer.ts'
import { openStagingTable, type StagingSummary } from './staging.ts'

/** A pack to build. */
export type BuildJob = {
  inputs: string[]
  /** The work folder, created and removed by the caller. */
  folder: string
  /** The file name of the pack. */
  name: string
  /** A pack whose other layers are kept. */
  existingPack: string | null
  layer: string
  /** What the catalog reads of this layer. */
  requirements: PackRequirements
  crs: string | null
  where: string | null
  renames: [from: string, to: string][]
  /** A column to fill with the feature's number, for files without a key. */
  numberColumn: string | null
  /** Do not subdivide polygons. */
  keepWhole: boolean
  /** Which layer and coordinate columns of the files to read. */
  source: { layer: string | null; lat: string | null; lng: string | null }
  /** How the catalog says to read the publisher's files. */
  recipe: Pick<Recipe, 'skip_rows' | 'records' | 'keep' | 'where' | 'one_of' | 'lines'>
  /** Columns to add with the same value in every feature. */
  constantColumns: Readonly<Record<string, string>>
}

/** A finished pack, still at `path` in the work folder. */
export type PackBuildResult = {
  path: string
  features: number
  /** The number of features that the conditions excluded. */
  excluded: number
  empty: number
  invalid: number
  outOfRange: StagingSummary['outOfRange']
  box: [west: number, south: number, east: number, north: number] | null
  bytes: number
  sha256: string
  formats: string[]
  sources: { file: string; bytes: number; sha256: string; modified: string }[]
}

/**
 * Builds a pack. `report` receives the progress (0 to 1) and the number of features read.
 * @throws PackError if the inputs cannot become a pack.
 */
export async function buildPack(
  job: BuildJob,
  report: (progress: number, features: number) => void,
): Promise<PackBuildResult> {
  const isTable = job.requirements.tables.length > 0
  const { formats, summary } = await stageInputs(job, report)
  if (summary.features === 0)
    throw new PackError(
      `${job.inputs.map((input) => basename(input)).join(', ')} ${job.inputs.length > 1 ? 'have' : 'has'} no features.`,
    )
  if (!isTable && (summary.west > summary.east || 2 * summary.outOfRange.count > summary.features - summary.empty))
    throw new PackError(unusableGeometryMessage(job, summary))
  checkColumns(job, summary)
  const path = join(job.folder, job.name)
  const features = writeGeopackage(job, summary, path)
  report(0.97, summary.features)
  checkPack(job, path, features)
  const sources = await Promise.all(
    job.inputs.map(async (input) => ({
      file: basename(input),
      bytes: statSync(input).size,
      sha256: await sha256OfFile(input),
      modified: statSync(input).mtime.toISOString(),
    })),
  )
  const box: PackBuildResult['box'] = isTable ? null : [summary.west, summary.south, summary.east, summary.north]
  return {
    path,
    features,
    excluded: summary.features - features,
    empty: summary.empty,
    invalid: summary.invalid,
    outOfRange: summary.outOfRange,
    box,
    bytes: statSync(path).size,
    sha256: await sha256OfFile(path),
    formats,
    sources,
  }
}

/** Reads all features of the inputs into the staging file. If the recipe says so, joins points into lines. */
async function stageInputs(
  job: BuildJob,
  report: (progress: number, features: number) => void,
): Promise<{ formats: string[]; summary: StagingSummary }> {
  const { lines, keep } = job.recipe
  const isTable = job.requirements.tables.length > 0
  const path = join(job.folder, stagingName)
  const firstPath = lines ? join(job.folder, 'points.db') : path
  const staging = openStagingTable(firstPath, {
    renames: new Map(job.renames.map(([from, to]) => [from.toLowerCase(), to])),
    keepColumns: keep ? new Set(keep.map((name) => name.toLowerCase())) : null,
    isTable,
    keepWhole: job.keepWhole,
  })
  let formats: string[]
  try {
    formats = await readInputs(job, staging, report)
  } finally {
    staging.close()
  }
  if (!lines || staging.summary.features === 0) return { formats, summary: staging.summary }
  const lineStaging = openStagingTable(path, {
    renames: new Map(),
    keepColumns: null,
    isTable,
    keepWhole: job.keepWhole,
  })
  try {
    joinPoints(firstPath, staging.summary, lines, lineStaging)
  } finally {
    lineStaging.close()
  }
  const { invalid, outOfRange, empty, droppedColumns } = staging.summary
  return { formats, summary: { ...lineStaging.summary, invalid, outOfRange, empty, droppedColumns } }
}

const stagingName = 'staging.db'
/** The share of the progress for reading. */
const readingShare = 0.7

async function readInputs(
  job: BuildJob,
  staging: ReturnType<typeof openStagingTable>,
  report: (progress: number, features: number) => void,
): Promise<string[]> {
  const sizes = job.inputs.map((input) => (existsSync(input) ? statSync(input).size : 0))
  const total_bytes = Math.max(
    1,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  const formats: string[] = []
  let read_bytes = 0
  for (const [i, path] of job.inputs.entries()) {
    const input = await openInput(
      path,
      { ...job.source, expectedLayer: job.layer, skip_rows: job.recipe.skip_rows, records: job.recipe.records },
      job.folder,
    )
    try {
      formats.push(input.format)
      staging.declareColumns(input)
      if (job.requirements.tables.length === 0 && !input.hasGeometry && !input.isText)
        throw new PackError(missingGeometryMessage(path, job, input))
      const toDegrees =
        job.requirements.tables.length > 0 || (input.crs === null && input.isText)
          ? null
          : toDegreesOf(job.crs ?? input.crs, basename(path))
      for await (const { features, progress } of input.batches()) {
        staging.add(addColumns(features, job, staging.summary.features), { isText: input.isText, toDegrees })
        report((readingShare * (read_bytes + progress * sizes[i]!)) / total_bytes, staging.summary.features)
      }
    } finally {
      input.close()
    }
    read_bytes += sizes[i]!
  }
  return formats
}

function addColumns(
  features: InputFeature[],
  { numberColumn, constantColumns }: BuildJob,
  offset: number,
): InputFeature[] {
  if (numberColumn === null && Object.keys(constantColumns).length === 0) return features
  return features.map(({ parts, properties }, i) => ({
    parts,
    properties: { ...properties, ...constantColumns, ...(numberColumn !== null && { [numberColumn]: offset + i + 1 }) },
  }))
}

function missingGeometryMessage(path: string, { layer }: BuildJob, { format, columns }: InputFile): string {
  const hint = format === 'dBASE' ? 'Put its .shp file next to it' : 'Expected a layer with a geometry column'
  return `${basename(path)} (${format}) is a table without geometries, but ${layer} needs them. ${hint}. Its columns: ${formatNames(columns)}.`
}

function unusableGeometryMessage(
  { inputs }: BuildJob,
  { features, invalid, outOfRange, columns }: StagingSummary,
): string {
  const names = inputs.map((input) => basename(input)).join(', ')
  if (outOfRange.count > 0)
    return `${outOfRange.count} of the ${features} features of ${names} are not on the earth (first: ${outOfRange.first}). Check the coordinate system (--crs).`
  if (invalid > 0) return `None of the ${features} features of ${names} has a valid geometry (${invalid} are invalid).`
  return `None of the ${features} features of ${names} has a geometry. The columns are ${formatNames(columns.map(({ name }) => name))}. Name the coordinate columns with --lat and --lng.`
}

function checkColumns(
  { requirements, layer, renames, recipe }: BuildJob,
  { columns, droppedColumns }: StagingSummary,
): void {
  const names = new Map(columns.map(({ name }) => [name.slice(name.lastIndexOf('.') + 1).toLowerCase(), name]))
  const rankColumns = recipe.one_of ? [...recipe.one_of.by, recipe.one_of.most] : []
  const missing = [...new Set([...requirements.attributes, ...rankColumns])].filter(
    (attribute) => findColumn(attribute, names, new Map()) === undefined,
  )
  const keys = requirements.tables.flatMap((table) => table.keys)
  const hasKey =
    keys.length === 0 || keys.some((key) => key.every((column) => findColumn(column, names, new Map()) !== undefined))
  if (missing.length === 0 && hasKey) return
  const missingTexts = [
    ...missing,
    ...(hasKey ? [] : [`a key (${keys.map((key) => key.join(' with ')).join(' or ')})`]),
  ]
  throw new PackError(
    `The catalog reads ${missingTexts.join(', ')} of ${layer}, but the input has no such column. Its columns: ${[...columns.map(({ name }) => name), ...droppedColumns].join(', ') || 'none'}${renames.length > 0 ? ` (after renaming ${renames.map(([from, to]) => `${from} to ${to}`).join(', ')})` : ''}. Map one with --rename <column>=<catalog name>.`,
  )
}

/** Writes the layer in its final form and order. Returns its number of features. */
function writeGeopackage(job: BuildJob, summary: StagingSummary, path: string): number {
  if (job.existingPack !== null) {
    openGeopackage(job.existingPack).close()
    copyFileSync(job.existingPack, path)
  }
  const db = new Database(path, { create: true })
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run('PRAGMA cache_size = -32768')
    db.run(`ATTACH ${quoteText(join(job.folder, stagingName))} AS source`)
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

function fillLayer(db: Database, job: BuildJob, { columns, types, subdivided, ...bounds }: StagingSummary): number {
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
  if (rows === 0) throw new PackError(`No feature passes the condition ${conditionsOf(job).join(' AND ')}.`)
  registerTable(db, job.layer, isTable ? null : { type, geometry, ...bounds })
  if (isTable) indexKey(db, job)
  else writeRtree(db, { table: job.layer, key, geometry })
  return countFeatures(db, { name: job.layer, rows, isSubdivided: subdivided > 0 })
}

/** The conditions of the recipe and the operator. */
function conditionsOf({ recipe, where }: Pick<BuildJob, 'recipe' | 'where'>): string[] {
  return [recipe.where, where].filter((condition) => typeof condition === 'string')
}

/**
 * An expression that is 1 for all pieces of the feature with the largest value in its group; the first one in a tie.
 */
function rankOf({ by, most }: NonNullable<Recipe['one_of']>): string {
  return `RANK() OVER (PARTITION BY ${by.map(quoteIdentifier).join(', ')} ORDER BY ${quoteIdentifier(most)} DESC, ${partColumn}, CASE WHEN ${partColumn} IS NULL THEN fs_row END)`
}

/** Indexes the first of the catalog's keys that the table has. */
function indexKey(db: Database, { layer, requirements }: BuildJob): void {
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

/** Opens the pack as the service does, and checks the number of features on disk. */
function checkPack({ requirements, layer, name }: BuildJob, path: string, features: number): void {
  openGeopackagePack(path, emptyManifest, [requirements], createByteCache(0)).close()
  const file = openGeopackage(path)
  try {
    const { rows } = file.db
      .query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${quoteIdentifier(layer)}`)
      .get()!
    const count = countFeatures(file.db, { ...file.tables.find((table) => table.name === layer)!, rows })
    if (count !== features) throw new Error(`${name} has ${count} features on disk, but ${features} were written.`)
  } finally {
    file.close()
  }
}

/** The SHA-256 checksum of a file as hexadecimal text. Reads the file in chunks. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hasher.update(chunk as Buffer)
  return hasher.digest('hex')
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Reports an SQL error as an invalid condition, because conditions come from the operator or the recipe. */
function toPackError(error: unknown, job: BuildJob): unknown {
  const isSql = error instanceof Error && 'code' in error && error.code === 'SQLITE_ERROR'
  const { where, recipe } = job
  if (!isSql || (where === null && recipe.where === undefined && recipe.one_of === undefined)) return error
  const conditions = [
    ...(recipe.where === undefined ? [] : [recipe.where]),
    ...(recipe.one_of ? [[...recipe.one_of.by, recipe.one_of.most].join(', ')] : []),
    ...(where === null ? [] : [`--where ${where}`]),
  ]
  return new PackError(`${conditions.join(' and ')} cannot be evaluated: ${error.message}.`, { cause: error })
}
