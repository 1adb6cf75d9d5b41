import { Database } from 'bun:sqlite'
import { copyFileSync, createReadStream, existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openByteCache } from '../byte-cache.ts'
import { areaColumn, featuresOf, listed, openGeopackage, partColumn, quoted } from '../geopackage-file.ts'
import { columnFor } from '../pack-columns.ts'
import { noManifest } from '../pack-manifest.ts'
import { PackRefused } from '../pack-refused.ts'
import { openGeopackagePack, type Expected } from '../pack.ts'
import { declared } from './column-kinds.ts'
import { toDegreesOf } from './crs.ts'
import { dropTable, makeGeopackage, registerTable } from './geopackage-tables.ts'
import type { Incoming, Input } from './input.ts'
import { joinLines } from './lines.ts'
import { openInput } from './open-input.ts'
import type { Recipe } from './recipe.ts'
import { writeRtree } from './rtree-write.ts'
import { openStaging, type Staged } from './staging.ts'

/**
 * What is to be built. `folder`: where work lies while it is done, made and removed by whoever asks; `name`: how the file will be called; `before`: the
 * pack that is there already, whose other layers stay; `expected`: what the catalog reads of this layer; `source`: how to read the files.
 */
export type BuildJob = {
  inputs: string[]
  folder: string
  name: string
  before: string | null
  layer: string
  expected: Expected
  crs: string | null
  where: string | null
  renamed: [from: string, to: string][]
  /** A column that gets the number of the feature, for files that have no key of their own. */
  numbered: string | null
  /** No polygon is cut into pieces. */
  whole: boolean
  source: { layer: string | null; lat: string | null; lng: string | null }
  /** What the catalog says of the publisher's files. */
  recipe: Pick<Recipe, 'skip_rows' | 'records' | 'keep' | 'where' | 'one_of' | 'lines'>
  /** Columns that have the same value in every feature. */
  set: Readonly<Record<string, string>>
}

/** A pack that is built, still at `path` in the work folder. */
export type Built = {
  path: string
  features: number
  /** How many features the condition left out. */
  left_out: number
  empty: number
  broken: number
  astray: Staged['astray']
  box: [west: number, south: number, east: number, north: number] | null
  bytes: number
  sha256: string
  formats: string[]
  sources: { file: string; bytes: number; sha256: string; modified: string }[]
}

/** Builds a pack. `report` is told how far it is (0 to 1) and how many features were read. Refuses with a sentence what cannot be one. */
export async function build(job: BuildJob, report: (done: number, features: number) => void): Promise<Built> {
  const isTable = job.expected.tables.length > 0
  const { formats, staged } = await gathered(job, report)
  if (staged.features === 0) throw new PackRefused(`${job.inputs.map((input) => basename(input)).join(', ')} ${job.inputs.length > 1 ? 'have' : 'has'} no features.`)
  if (!isTable && (staged.west > staged.east || 2 * staged.astray.count > staged.features - staged.empty)) throw new PackRefused(lackOfGeometry(job, staged))
  checkColumns(job, staged)
  const path = join(job.folder, job.name)
  const features = writePackage(job, staged, path)
  report(0.97, staged.features)
  checkPack(job, path, features)
  const sources = await Promise.all(job.inputs.map(async (input) => ({ file: basename(input), bytes: statSync(input).size, sha256: await sha256Of(input), modified: statSync(input).mtime.toISOString() })))
  const box: Built['box'] = isTable ? null : [staged.west, staged.south, staged.east, staged.north]
  return { path, features, left_out: staged.features - features, empty: staged.empty, broken: staged.broken, astray: staged.astray, box, bytes: statSync(path).size, sha256: await sha256Of(path), formats, sources }
}

/** All features of the inputs, in the staging file; where the recipe says so, the lines that join them. */
async function gathered(job: BuildJob, report: (done: number, features: number) => void): Promise<{ formats: string[]; staged: Staged }> {
  const { lines, keep } = job.recipe
  const isTable = job.expected.tables.length > 0
  const path = join(job.folder, stagingName)
  const first = lines ? join(job.folder, 'points.db') : path
  const staging = openStaging(first, { renamed: new Map(job.renamed.map(([from, to]) => [from.toLowerCase(), to])), kept: keep ? new Set(keep.map((name) => name.toLowerCase())) : null, isTable, isWhole: job.whole })
  let formats: string[]
  try {
    formats = await gather(job, staging, report)
  } finally {
    staging.close()
  }
  if (!lines || staging.staged.features === 0) return { formats, staged: staging.staged }
  const joined = openStaging(path, { renamed: new Map(), kept: null, isTable, isWhole: job.whole })
  try {
    joinLines(first, staging.staged, lines, joined)
  } finally {
    joined.close()
  }
  const { broken, astray, empty, aside } = staging.staged
  return { formats, staged: { ...joined.staged, broken, astray, empty, aside } }
}

const stagingName = 'staging.db'
/** The share of the work that reading is. */
const readingShare = 0.7

async function gather(job: BuildJob, staging: ReturnType<typeof openStaging>, report: (done: number, features: number) => void): Promise<string[]> {
  const sizes = job.inputs.map((input) => (existsSync(input) ? statSync(input).size : 0))
  const whole = Math.max(1, sizes.reduce((sum, size) => sum + size, 0))
  const formats: string[] = []
  let before = 0
  for (const [i, path] of job.inputs.entries()) {
    const input = await openInput(path, { ...job.source, wanted: job.layer, skip_rows: job.recipe.skip_rows, records: job.recipe.records }, job.folder)
    try {
      formats.push(input.format)
      staging.declare(input)
      if (job.expected.tables.length === 0 && !input.hasGeometry && !input.isText) throw new PackRefused(bareTable(path, job, input))
      const toDegrees = job.expected.tables.length > 0 || (input.crs === null && input.isText) ? null : toDegreesOf(job.crs ?? input.crs, basename(path))
      for await (const { features, done } of input.batches()) {
        staging.add(withColumns(features, job, staging.staged.features), { isText: input.isText, toDegrees })
        report((readingShare * (before + done * sizes[i]!)) / whole, staging.staged.features)
      }
    } finally {
      input.close()
    }
    before += sizes[i]!
  }
  return formats
}

function withColumns(features: Incoming[], { numbered, set }: BuildJob, before: number): Incoming[] {
  if (numbered === null && Object.keys(set).length === 0) return features
  return features.map(({ parts, properties }, i) => ({ parts, properties: { ...properties, ...set, ...(numbered !== null && { [numbered]: before + i + 1 }) } }))
}

function bareTable(path: string, { layer }: BuildJob, { format, columns }: Input): string {
  const lack = format === 'dBASE' ? 'the .shp that belongs to it was expected beside it' : 'a layer with a geometry column was expected'
  return `${basename(path)} (${format}) is a table without geometries, and ${layer} needs them: ${lack}. Its columns are ${listed(columns)}.`
}

function lackOfGeometry({ inputs }: BuildJob, { features, broken, astray, columns }: Staged): string {
  const names = inputs.map((input) => basename(input)).join(', ')
  if (astray.count > 0) return `${astray.count} of the ${features} features of ${names} do not lie on the earth (the first is ${astray.first}). Is its coordinate system another (--crs)?`
  if (broken > 0) return `None of the ${features} features of ${names} has a geometry (${broken} are broken).`
  return `None of the ${features} features of ${names} has a geometry; a layer needs one. The columns are ${listed(columns.map(({ name }) => name))}; name the coordinates with --lat and --lng.`
}

function checkColumns({ expected, layer, renamed, recipe }: BuildJob, { columns, aside }: Staged): void {
  const names = new Map(columns.map(({ name }) => [name.slice(name.lastIndexOf('.') + 1).toLowerCase(), name]))
  const named = recipe.one_of ? [...recipe.one_of.by, recipe.one_of.most] : []
  const missing = [...new Set([...expected.attributes, ...named])].filter((attribute) => columnFor(attribute, names, new Map()) === undefined)
  const keys = expected.tables.flatMap((table) => table.keys)
  const hasKey = keys.length === 0 || keys.some((key) => key.every((column) => columnFor(column, names, new Map()) !== undefined))
  if (missing.length === 0 && hasKey) return
  const lack = [...missing, ...(hasKey ? [] : [`a key (${keys.map((key) => key.join(' with ')).join(' or ')})`])]
  throw new PackRefused(`The catalog reads ${lack.join(', ')} of ${layer}, and the input has no such column. It has ${[...columns.map(({ name }) => name), ...aside].join(', ') || 'none'}${renamed.length > 0 ? ` (after renaming ${renamed.map(([from, to]) => `${from} to ${to}`).join(', ')})` : ''}. --rename <its name>=<name of the catalog> says which one is meant.`)
}

/** Writes the layer in its final form and order, and gives how many features it has. */
function writePackage(job: BuildJob, staged: Staged, path: string): number {
  if (job.before !== null) {
    openGeopackage(job.before).close()
    copyFileSync(job.before, path)
  }
  const db = new Database(path, { create: true })
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run('PRAGMA cache_size = -32768')
    db.run(`ATTACH ${literal(join(job.folder, stagingName))} AS source`)
    db.run('BEGIN')
    if (job.before !== null) dropTable(db, job.layer)
    makeGeopackage(db)
    const features = fill(db, job, staged)
    db.run('COMMIT')
    db.run('DETACH source')
    return features
  } catch (error) {
    throw translated(error, job)
  } finally {
    db.close()
  }
}

function fill(db: Database, job: BuildJob, { columns, types, cut, ...bounds }: Staged): number {
  const isTable = job.expected.tables.length > 0
  const free = (...names: string[]) => names.find((name) => !columns.some((column) => column.name.toLowerCase() === name))!
  const [key, geometry] = [free('fid', 'fs_fid', 'fs_fid_'), free('geom', 'fs_geom', 'fs_geom_')]
  const typed = columns.map((column) => ({ name: column.name, ...declared(column) }))
  const type = types.size === 1 ? [...types][0]! : 'GEOMETRY'
  const declarations = [`${quoted(key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`, ...(isTable ? [] : [`${quoted(geometry)} ${type}`]), ...typed.map((column) => `${quoted(column.name)} ${column.type}`), ...(cut > 0 ? [`${partColumn} INTEGER`, `${areaColumn} REAL`] : [])]
  db.run(`CREATE TABLE ${quoted(job.layer)} (${declarations.join(', ')})`)
  const own = cut > 0 ? [partColumn, areaColumn] : []
  const targets = [...(isTable ? [] : [geometry]), ...typed.map(({ name }) => name), ...own].map(quoted).join(', ')
  const inner = `SELECT rowid AS fs_row, fs_place, fs_blob, ${partColumn}, ${areaColumn}${typed.map(({ name, expression }) => `, ${expression} AS ${quoted(name)}`).join('')} FROM source.staged`
  const chosen = `${isTable ? '' : 'fs_blob'}${typed.map(({ name }, i) => `${isTable && i === 0 ? '' : ', '}${quoted(name)}`).join('')}${own.map((name) => `, ${name}`).join('')}`
  const conditions = conditionsOf(job).map((condition) => `(${condition}\n)`)
  const passing = `(${inner})${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`
  const { one_of } = job.recipe
  const from = one_of ? `(SELECT *, ${rankOf(one_of)} AS fs_rank FROM ${passing}) WHERE fs_rank = 1` : passing
  db.run(`INSERT INTO ${quoted(job.layer)} (${targets}) SELECT ${chosen} FROM ${from} ORDER BY ${isTable ? 'fs_row' : 'fs_place, fs_row'}`)
  if (cut > 0) db.run(`CREATE INDEX ${quoted(`${job.layer}_part`)} ON ${quoted(job.layer)} (${partColumn}) WHERE ${partColumn} IS NOT NULL`)
  const { rows } = db.query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${quoted(job.layer)}`).get()!
  if (rows === 0) throw new PackRefused(`None of the features passes the condition ${conditionsOf(job).join(' AND ')}`)
  registerTable(db, job.layer, isTable ? null : { type, geometry, ...bounds })
  if (isTable) indexKey(db, job)
  else writeRtree(db, { table: job.layer, key, geometry })
  return featuresOf(db, { name: job.layer, rows, isCut: cut > 0 })
}

/** What the recipe and the operator leave in. */
function conditionsOf({ recipe, where }: Pick<BuildJob, 'recipe' | 'where'>): string[] {
  return [recipe.where, where].filter((condition) => typeof condition === 'string')
}

/** 1 for the feature that has most among those that are alike, the first of several, with all of its pieces. */
function rankOf({ by, most }: NonNullable<Recipe['one_of']>): string {
  return `RANK() OVER (PARTITION BY ${by.map(quoted).join(', ')} ORDER BY ${quoted(most)} DESC, ${partColumn}, CASE WHEN ${partColumn} IS NULL THEN fs_row END)`
}

/** The first of the keys that the catalog knows and the table has. */
function indexKey(db: Database, { layer, expected }: BuildJob): void {
  const names = new Map(db.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)').all(layer).map(({ name }) => [name.toLowerCase(), name]))
  const keys = expected.tables.flatMap((table) => table.keys).map((key) => key.map((column) => columnFor(column, names, new Map())))
  const key = keys.find((columns): columns is string[] => columns.every((column) => column !== undefined))
  if (key) db.run(`CREATE INDEX ${quoted(`${layer}_key`)} ON ${quoted(layer)} (${key.map(quoted).join(', ')})`)
}

/** Opens it as the service will, and counts it as it is on disk. */
function checkPack({ expected, layer, name }: BuildJob, path: string, features: number): void {
  openGeopackagePack(path, noManifest, [expected], openByteCache(0)).close()
  const file = openGeopackage(path)
  try {
    const { rows } = file.db.query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${quoted(layer)}`).get()!
    const count = featuresOf(file.db, { ...file.tables.find((table) => table.name === layer)!, rows })
    if (count !== features) throw new Error(`${name} has ${count} features on disk where ${features} were written.`)
  } finally {
    file.close()
  }
}

/** The checksum of a file, read in pieces. */
export async function sha256Of(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hasher.update(chunk as Buffer)
  return hasher.digest('hex')
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A condition that SQLite does not understand is the operator's. */
function translated(error: unknown, job: BuildJob): unknown {
  const isSql = error instanceof Error && 'code' in error && error.code === 'SQLITE_ERROR'
  const { where, recipe } = job
  if (!isSql || (where === null && recipe.where === undefined && recipe.one_of === undefined)) return error
  const said = [...(recipe.where === undefined ? [] : [recipe.where]), ...(recipe.one_of ? [[...recipe.one_of.by, recipe.one_of.most].join(', ')] : []), ...(where === null ? [] : [`--where ${where}`])]
  return new PackRefused(`${said.join(' and ')} cannot be evaluated: ${error.message}.`, { cause: error })
}
