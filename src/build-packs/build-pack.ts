/**
 * Builds packs from files, from copies of services and from lists of addresses, and signs regions of them. The command
 * line does all of this, and the server imports none of it.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { QueryBox } from '../geo/boxes.ts'
import type { Value } from '../model/source.ts'
import { createByteCache } from '../packs/layer/byte-cache.ts'
import { countFeatures, formatNames, openGeopackage, quoteIdentifier } from '../files/geopackage/geopackage.ts'
import { findColumn } from '../packs/layer/pack-columns.ts'
import { checkPackFile } from '../packs/check/pack-check.ts'
import { emptyManifest } from '../packs/pack-manifest.ts'
import { FileError } from '../files/file-error.ts'
import { openGeopackagePack } from '../packs/pack.ts'
import { sha256OfFile } from '../files/byte-reader.ts'
import { storedSamplesOf } from './column-types.ts'
import { toDegreesOf } from '../files/crs.ts'
import type { InputFeature, InputFile } from '../files/input-file.ts'
import { joinPoints } from './polygons/join-points.ts'
import { openInput } from '../files/open-input.ts'
import { type StagingSummary, StagingTable } from './layer/staging.ts'
import { writeLayer, type LayerJob } from './layer/write-layer.ts'

/** A pack to build. */
export type BuildJob = LayerJob & {
  inputs: string[]
  /** Columns to add even if no feature has them. */
  columns?: string[]
  /** The work folder, created and removed by the caller. */
  folder: string
  /** The file name of the pack. */
  name: string
  crs: string | null
  renames: [from: string, to: string][]
  /** A column to fill with the feature's number, for files without a key. */
  numberColumn: string | null
  /** Do not subdivide polygons. */
  keepWhole: boolean
  /** Keeps only features that touch these boxes, and one of those that several inputs have. */
  clip?: readonly QueryBox[]
  /** Which layer and coordinate columns of the files to read. */
  source: { layer: string | null; lat: string | null; lng: string | null }
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
  /** The features that touch the served area. */
  inUs: number
  /** A few values of each column that the catalog reads, by its name in lower case. */
  samples: Record<string, Value[]>
  outOfRange: StagingSummary['outOfRange']
  box: [west: number, south: number, east: number, north: number] | null
  bytes: number
  sha256: string
  /** Whether every layer has an R-tree, so that the service has no index to build. */
  isIndexed: boolean
  formats: string[]
  sources: { file: string; bytes: number; sha256: string; modified: string }[]
}

/**
 * Builds a pack. `report` receives the progress (0 to 1) and the number of features read.
 * @throws FileError if the inputs cannot become a pack.
 */
export async function buildPack(
  job: BuildJob,
  report: (progress: number, features: number) => void,
): Promise<PackBuildResult> {
  const isTable = job.requirements.tables.length > 0
  const { formats, summary } = await stageInputs(job, report)
  if (summary.features === 0 && !job.mayBeEmpty)
    throw new FileError(
      `${job.inputs.map((input) => basename(input)).join(', ')} ${job.inputs.length > 1 ? 'have' : 'has'} no features.`,
    )
  const isEmpty = summary.features === 0
  if (
    !isTable &&
    !isEmpty &&
    (summary.west > summary.east || 2 * summary.outOfRange.count > summary.features + summary.outside - summary.empty)
  )
    throw new FileError(unusableGeometryMessage(job, summary))
  checkColumns(job, summary)
  const path = join(job.folder, job.name)
  const features = writeLayer(job, join(job.folder, stagingName), summary, path)
  report(0.97, summary.features)
  const isIndexed = await checkPack(job, path, features)
  const sources = await Promise.all(
    job.inputs.map(async (input) => ({
      file: basename(input),
      bytes: statSync(input).size,
      sha256: await sha256OfFile(input),
      modified: statSync(input).mtime.toISOString(),
    })),
  )
  const box: PackBuildResult['box'] =
    isTable || isEmpty ? null : [summary.west, summary.south, summary.east, summary.north]
  return {
    path,
    features,
    excluded: summary.features - features,
    empty: summary.empty,
    invalid: summary.invalid,
    inUs: summary.inUs,
    samples: samplesOf(job, summary),
    outOfRange: summary.outOfRange,
    box,
    bytes: statSync(path).size,
    sha256: await sha256OfFile(path),
    isIndexed,
    formats,
    sources,
  }
}

function samplesOf({ requirements: { attributes } }: BuildJob, { columns }: StagingSummary): Record<string, Value[]> {
  const names = new Set(attributes.map((name) => name.toLowerCase()))
  const read = columns.filter(({ name }) => names.has(name.toLowerCase()))
  return Object.fromEntries(read.map((column) => [column.name.toLowerCase(), storedSamplesOf(column)]))
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
  const staging = new StagingTable(firstPath, {
    renames: new Map(job.renames.map(([from, to]) => [from.toLowerCase(), to])),
    keepColumns: keep ? new Set(keep.map((name) => name.toLowerCase())) : null,
    isTable,
    keepWhole: job.keepWhole,
    clip: lines ? null : (job.clip ?? null),
  })
  let formats: string[]
  try {
    formats = await readInputs(job, staging, report)
  } finally {
    staging.close()
  }
  if (!lines || staging.summary.features === 0) return { formats, summary: staging.summary }
  const lineStaging = new StagingTable(path, {
    renames: new Map(),
    keepColumns: null,
    isTable,
    keepWhole: job.keepWhole,
    clip: job.clip ?? null,
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
  staging: StagingTable,
  report: (progress: number, features: number) => void,
): Promise<string[]> {
  const sizes = job.inputs.map((input) => (existsSync(input) ? statSync(input).size : 0))
  const total_bytes = Math.max(
    1,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  const isTable = job.requirements.tables.length > 0
  const formats: string[] = []
  let read_bytes = 0
  staging.declareColumns({ columns: job.columns ?? [] })
  for (const [i, path] of job.inputs.entries()) {
    const input = await openInput(
      path,
      {
        ...job.source,
        expectedLayer: job.layer,
        crs: job.crs,
        isTable,
        skip_rows: job.recipe.skip_rows,
        records: job.recipe.records,
      },
      job.folder,
    )
    try {
      formats.push(input.format)
      staging.declareColumns(input)
      if (!isTable && !input.hasGeometry && !input.isText) throw new FileError(missingGeometryMessage(path, job, input))
      const toDegrees =
        isTable || (input.crs === null && input.isText) ? null : toDegreesOf(job.crs ?? input.crs, basename(path))
      for await (const { features, progress } of input.batches()) {
        staging.add(addColumns(features, job, staging.summary.features), { isText: input.isText, toDegrees })
        report((readingShare * (read_bytes + progress * sizes[i]!)) / total_bytes, staging.summary.features)
      }
    } finally {
      input.close()
    }
    staging.endFile()
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
  throw new FileError(
    `The layer ${layer} needs ${missingTexts.join(', ')}, but the input has no such column. The columns of the input: ${[...columns.map(({ name }) => name), ...droppedColumns].join(', ') || 'none'}${renames.length > 0 ? ` (after renaming ${renames.map(([from, to]) => `${from} to ${to}`).join(', ')})` : ''}. To rename a column, use --rename <column>=<name that the layer needs>.`,
  )
}

/**
 * Checks and opens the pack as the service does, and checks the number of features on disk. Returns whether every layer
 * has an R-tree.
 */
async function checkPack({ requirements, layer, name }: BuildJob, path: string, features: number): Promise<boolean> {
  const indexes = await checkPackFile(path, null)
  openGeopackagePack(path, { manifest: emptyManifest }, [requirements], createByteCache(0)).close()
  const file = openGeopackage(path)
  try {
    const { rows } = file.db
      .query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${quoteIdentifier(layer)}`)
      .get()!
    const count = countFeatures(file.db, { ...file.tables.find((table) => table.name === layer)!, rows })
    if (count !== features) throw new Error(`${name} has ${count} features on disk, but ${features} were written.`)
    return indexes.size === 0
  } finally {
    file.close()
  }
}
