import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ArtifactWriter } from '../../store/runs/artifacts.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { RunReader, StoredEntry, StoredRun } from '../../store/runs/runs.ts'
import { storageErrorOf } from '../../store/sqlite/sqlite-errors.ts'
import { createWorkFolder, type WorkFolder } from '../../store/work-folder.ts'
import { addedColumns, FieldTypeError, shapeWith, type AddedColumns, type ArtifactShape } from './artifact-columns.ts'
import { ArtifactFile, openResultRows, textRowsOf, type ResultRows } from './artifact-output.ts'
import { artifactRowOf } from './artifact-row.ts'
import { mergedEntriesOf } from './merged-entries.ts'
import { resultFormats, type ResultFormat } from './result-text.ts'
import type { FieldTypes } from './row-file.ts'
import { RunReportBuilder } from '../report/run-report-builder.ts'

/** The result files of a run: the rows in several formats, and the counts of a `RunReport` as JSON. */
export type ArtifactFormat = ResultFormat | 'report'
/** The formats that are written on request, each by itself. */
export type RequestedFormat = Exclude<ArtifactFormat, 'csv' | 'geojson' | 'report'>

/**
 * `retries`: the rows of the original run, merged with its retries. `added`: the columns that were asked for.
 * `isInputFirst`: the columns of the input are first and unchanged.
 */
export type ArtifactVariant = { retries: boolean; added: readonly AddedColumns[]; isInputFirst: boolean }

/** The variant that is written when a run finishes. The others are written when they are first requested. */
export const plainVariant: ArtifactVariant = { retries: false, added: [], isInputFirst: false }

const rowsPerRead = 100
/** Reading entries leaves garbage of several times their text. */
const charactersBetweenCollections = 2 * 1_048_576

/** The stores that the result files are read from and written to. `folder`: the data folder, for unfinished files. */
export type ArtifactWriterDeps = {
  reader: RunReader
  artifacts: ArtifactWriter
  folder: string
  collectGarbage: () => void
}

/** The names of the stored result files of a variant. */
export type ArtifactNames = Record<ArtifactFormat, string>

/** Returns the names of the stored result files. A later retry changes the names of the merged files. */
export function artifactNamesOf({ retries, added, isInputFirst }: ArtifactVariant, family: StoredRun[]): ArtifactNames {
  const parts = [
    ...(retries && family.length > 1 ? [family.length] : []),
    ...addedColumns.filter((it) => added.includes(it)),
    ...(isInputFirst ? ['input_first'] : []),
  ]
  const suffix = parts.map((part) => `+${part}`).join('')
  const names = [...resultFormats, 'report' as const].map((format) => [format, `${format}${suffix}`])
  return Object.fromEntries(names) as ArtifactNames
}

/** The run and its finished retries, oldest first, or the whole family of a retry. */
export async function finishedFamilyOf(run: StoredRun, reader: RunReader): Promise<StoredRun[]> {
  return (await reader.listFamily(run)).filter(({ finished_at }) => finished_at !== null)
}

/**
 * Writes the result files of a run that has an entry for every location, in one pass over the entries, except those
 * that are written on request. Yields to the event loop after each chunk. A partial file of an earlier attempt is replaced.
 */
export async function writeArtifacts(
  run: StoredRun,
  variant: ArtifactVariant,
  deps: ArtifactWriterDeps,
): Promise<ArtifactNames> {
  const { artifacts } = deps
  const { shape, names, entries } = await contentOf(run, variant, deps)
  const csv = await ArtifactFile.start(run.number, names.csv, artifacts)
  const geojson = await ArtifactFile.start(run.number, names.geojson, artifacts)
  const reportFile = await ArtifactFile.start(run.number, names.report, artifacts)
  const report = new RunReportBuilder()
  const formats = [textRowsOf(csv, 'csv', shape), textRowsOf(geojson, 'geojson', shape)]
  for await (const entry of entries()) {
    // An entry is parsed once for all files.
    const row = artifactRowOf(entry, shape.fields, run)
    for (const rows of formats) rows.add(row)
    report.add(row, shape.fields)
    if (!csv.isFull && !geojson.isFull) continue
    for (const file of [csv, geojson]) await file.writeChunks()
    await nextTurn()
  }
  for (const rows of formats) rows.finish()
  reportFile.addText(JSON.stringify(report.finish()))
  for (const file of [csv, geojson, reportFile]) await file.finish()
  return names
}

/** Writes the result file of a run in a format that is written on request. The run has an entry for every location. */
export async function writeRequestedArtifact(
  run: StoredRun,
  variant: ArtifactVariant,
  { format, fieldTypes }: { format: RequestedFormat; fieldTypes: FieldTypes },
  deps: ArtifactWriterDeps,
): Promise<ArtifactNames> {
  const { shape, names, entries } = await contentOf(run, variant, deps)
  const file = await ArtifactFile.start(run.number, names[format], deps.artifacts)
  let [work, rows]: [WorkFolder | null, ResultRows | null] = [null, null]
  try {
    if (format === 'gpkg') work = createWorkFolder(deps.folder)
    const path = join(work?.path ?? '', 'result.gpkg')
    rows = await openResultRows(file, format, { shape, fieldTypes, hasAreas: run.kind === 'area_batch', path })
    let count = 0
    for await (const entry of entries()) {
      rows.add(artifactRowOf(entry, shape.fields, run))
      await file.writeChunks()
      if (++count % rowsPerRead === 0) await nextTurn()
    }
    rows.finish()
    if (work) await file.addFile(path, deps.collectGarbage)
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw storageErrorOf(error) ?? error
    // The catalog has changed since: the field becomes text.
    const types: FieldTypes = { ...fieldTypes, [error.field]: 'string' }
    return await writeRequestedArtifact(run, variant, { format, fieldTypes: types }, deps)
  } finally {
    rows?.close()
    work?.remove()
  }
  await file.finish()
  return names
}

/** The columns of the result files, their names, and the entries that they are written from. */
async function contentOf(run: StoredRun, variant: ArtifactVariant, deps: ArtifactWriterDeps) {
  const { reader } = deps
  const family = variant.retries ? await finishedFamilyOf(run, reader) : [run]
  const isMerged = family.length > 1
  const shape: ArtifactShape = {
    fields: parseRunColumn(run, 'fields'),
    marginFields: parseRunColumn(run, 'margin_fields'),
    inputColumns: parseRunColumn(run, 'columns'),
    isInputFirst: variant.isInputFirst,
    hasOriginalIndex: run.retry_of !== null && !isMerged,
    hasCoveredShares: run.kind === 'area_batch',
    hasGeocodes: run.kind === 'fetch_batch' && (await reader.hasAddress(family[0]!.number)),
    hasReasons: true,
  }
  const entries = () => (isMerged ? mergedEntriesOf(family, reader) : entriesOf(run, deps))
  return { shape: shapeWith(shape, variant.added), names: artifactNamesOf(variant, family), entries }
}

async function* entriesOf(run: StoredRun, { reader, collectGarbage }: ArtifactWriterDeps): AsyncGenerator<StoredEntry> {
  let uncollected_characters = 0
  for (let from = 0; from < run.total; from += rowsPerRead) {
    const entries = await reader.listEntries(run.number, from, rowsPerRead)
    yield* entries
    uncollected_characters += entries.reduce((sum, { entry }) => sum + entry.length, 0)
    if (uncollected_characters < charactersBetweenCollections) continue
    uncollected_characters = 0
    collectGarbage()
  }
}
