import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { etagOfHash, type ArtifactWriter } from '../../store/runs/artifacts.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { RunReader, StoredEntry, StoredRun } from '../../store/runs/runs.ts'
import { storageErrorOf } from '../../store/sqlite/sqlite-errors.ts'
import { createWorkFolder, type WorkFolder } from '../../store/work-folder.ts'
import {
  addedColumns,
  artifactColumnsOf,
  shapeWith,
  type AddedColumns,
  type ArtifactShape,
} from './artifact-columns.ts'
import { csvHeaderOf, csvSegmentsOf } from './artifact-csv.ts'
import { geojsonEnd, geojsonSegmentsOf, geojsonSeparator, geojsonStart, geometryColumn } from './artifact-geojson.ts'
import { artifactRowOf, type ArtifactRow } from './artifact-row.ts'
import { mergedEntriesOf } from './merged-entries.ts'
import { FieldTypeError, ndjsonSegmentsOf, textOfRow } from './row-layout.ts'
import { openRowFile, rowFileFormats, type FieldTypes, type RowFileSpec } from './row-file.ts'
import { RunReportBuilder } from '../report/run-report-builder.ts'

/** The formats of the rows of a run. */
export const resultFormats = ['csv', 'geojson', 'ndjson', ...rowFileFormats] as const
/** The result files of a run: the rows in several formats, and the counts of a `RunReport` as JSON. */
export type ArtifactFormat = (typeof resultFormats)[number] | 'report'
/** The formats that are written on request, each by itself. */
export type RequestedFormat = Exclude<ArtifactFormat, 'csv' | 'geojson' | 'report'>

/**
 * `retries`: the rows of the original run, merged with its retries. `added`: the columns that were asked for.
 * `isInputFirst`: the columns of the input are first and unchanged.
 */
export type ArtifactVariant = { retries: boolean; added: readonly AddedColumns[]; isInputFirst: boolean }

/** The variant that is written when a run finishes. The others are written when they are first requested. */
export const plainVariant: ArtifactVariant = { retries: false, added: [], isInputFirst: false }

const chunk_bytes = 262_144
const encodedAtOnce_characters = 32_768
const rowsPerRead = 100
const chunksBetweenCollections = 16
/** Reading entries leaves garbage of several times their text. */
const charactersBetweenCollections = 2 * 1_048_576
/** With 50 fields, a group takes about 10 MB of memory. */
const groupRows = 2_048

/** The stores that the result files are read from and written to. `folder`: the data folder, for unfinished files. */
export type ArtifactWriterDeps = {
  reader: RunReader
  artifacts: ArtifactWriter
  folder: string
  collectGarbage: () => void
}

/** Another worker has taken over the run while this one wrote its result files. */
export class LeaseLostError extends Error {}

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
  const { fields } = shape
  const columns = artifactColumnsOf(shape)
  const csv = await startArtifact(run.number, names.csv, artifacts)
  const geojson = await startArtifact(run.number, names.geojson, artifacts)
  const reportFile = await startArtifact(run.number, names.report, artifacts)
  const report = new RunReportBuilder()
  csv.addText(csvHeaderOf(columns))
  geojson.addText(geojsonStart)
  const [csvSegments, geojsonSegments] = [csvSegmentsOf(columns), geojsonSegmentsOf(columns)]
  let separator = ''
  for await (const entry of entries()) {
    // An entry is parsed once for all files.
    const row = artifactRowOf(entry, fields, run)
    csv.addText(textOfRow(csvSegments, row))
    geojson.addText(separator + textOfRow(geojsonSegments, row))
    report.add(row, fields)
    separator = geojsonSeparator
    if (!csv.isFull && !geojson.isFull) continue
    for (const file of [csv, geojson]) await file.writeChunks()
    await nextTurn()
  }
  geojson.addText(geojsonEnd)
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
  const columns = artifactColumnsOf(shape)
  const file = await startArtifact(run.number, names[format], deps.artifacts)
  const hasAreas = run.kind === 'area_batch'
  let [work, rows]: [WorkFolder | null, Rows | null] = [null, null]
  try {
    if (format === 'gpkg') work = createWorkFolder(deps.folder)
    const path = join(work?.path ?? '', 'result.gpkg')
    rows = await openRows(file, format, { columns, fieldTypes, hasAreas, groupRows }, path)
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

type Rows = { add(row: ArtifactRow): void; finish(): void; close(): void }

/** Opens the rows of a file. A GeoPackage is a database: it is written at the path, and copied at its end. */
async function openRows(file: ArtifactFile, format: RequestedFormat, spec: RowFileSpec, path: string): Promise<Rows> {
  const { columns } = spec
  if (format === 'ndjson') {
    const segments = ndjsonSegmentsOf(columns)
    return { add: (row) => file.addText(textOfRow(segments, row)), finish() {}, close() {} }
  }
  const rows = await openRowFile(format, spec, { path, write: (bytes) => file.add(bytes) })
  return {
    add: (row) =>
      rows.add(
        geometryColumn.valueOf(row),
        columns.map(({ valueOf }) => valueOf(row)),
      ),
    finish: () => rows.finish(),
    close: () => rows.close(),
  }
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

const encoder = new TextEncoder()

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

/** Starts a result file. Deletes what an earlier attempt has left of it. */
async function startArtifact(run: number, name: string, artifacts: ArtifactWriter): Promise<ArtifactFile> {
  if (!(await artifacts.clear(run, name))) throw new LeaseLostError()
  return new ArtifactFile(run, name, artifacts)
}

/** One result file. It is written to the database in chunks, with a hash of all bytes as its ETag. */
class ArtifactFile {
  readonly #run: number
  readonly #name: string
  readonly #artifacts: ArtifactWriter
  readonly #hash = new Bun.CryptoHasher('sha256')
  /** The text after the pending bytes. */
  #text = ''
  #pending: Uint8Array[] = []
  #pending_bytes = 0
  #written_bytes = 0

  constructor(run: number, name: string, artifacts: ArtifactWriter) {
    this.#run = run
    this.#name = name
    this.#artifacts = artifacts
  }

  /** Adds bytes. A file has either bytes or texts. */
  add(bytes: Uint8Array): void {
    this.#pending.push(bytes)
    this.#pending_bytes += bytes.length
  }

  /** Adds a text. The texts of many rows are encoded together. */
  addText(text: string): void {
    this.#text += text
    if (this.#text.length >= encodedAtOnce_characters) this.#encodeText()
  }

  /** Whether the pending bytes make a whole chunk. */
  get isFull(): boolean {
    return this.#pending_bytes >= chunk_bytes
  }

  async finish(): Promise<void> {
    this.#encodeText()
    await this.#write(1)
    const artifact = { etag: etagOfHash(this.#hash), bytes: this.#written_bytes }
    if (!(await this.#artifacts.finish(this.#run, this.#name, artifact))) throw new LeaseLostError()
  }

  #encodeText(): void {
    if (this.#text !== '') this.add(encoder.encode(this.#text))
    this.#text = ''
  }

  /** Adds the bytes of a file on disk. Each chunk leaves several copies. */
  async addFile(path: string, collectGarbage: () => void): Promise<void> {
    let chunks = 0
    for await (const bytes of createReadStream(path, { highWaterMark: chunk_bytes })) {
      this.add(bytes)
      await this.#write(1)
      if (++chunks % chunksBetweenCollections === 0) collectGarbage()
    }
  }

  /** Writes the pending bytes that make whole chunks. */
  async writeChunks(): Promise<void> {
    if (this.isFull) await this.#write(chunk_bytes)
  }

  /**
   * Writes the pending bytes in chunks until fewer than `min_bytes` are left. SQLite reads a chunk from its start, so
   * larger chunks would be slow to send.
   */
  async #write(min_bytes: number): Promise<void> {
    let rest = Buffer.concat(this.#pending)
    for (; rest.length >= min_bytes; rest = rest.subarray(chunk_bytes)) {
      const chunk = rest.subarray(0, chunk_bytes)
      if (!(await this.#artifacts.addChunk(this.#run, this.#name, this.#written_bytes, chunk)))
        throw new LeaseLostError()
      this.#hash.update(chunk)
      this.#written_bytes += chunk.length
    }
    this.#pending = [rest]
    this.#pending_bytes = rest.length
  }
}
