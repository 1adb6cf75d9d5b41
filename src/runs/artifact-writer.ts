import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ArtifactStore } from '../store/sqlite/artifacts.ts'
import type { RunReader, StoredEntry, StoredRun } from '../store/sqlite/run-reader.ts'
import { artifactColumnsOf } from './artifact-columns.ts'
import { csvHeaderOf, csvLineOf } from './artifact-csv.ts'
import { geojsonEnd, geojsonFeatureOf, geojsonSeparator, geojsonStart } from './artifact-geojson.ts'
import { artifactRowOf } from './artifact-row.ts'
import { mergedEntriesOf } from './merged-entries.ts'
import { RunReportBuilder } from './run-report-builder.ts'

/** The result files of a run: the rows as CSV and as GeoJSON, and the counts of a `RunReport` as JSON. */
export type ArtifactFormat = 'csv' | 'geojson' | 'report'

/** `retries`: the rows of the original run, merged with its retries. `reasons`: the status of each field. */
export type ArtifactVariant = { retries: boolean; reasons: boolean }

/** The variant that is written when a run finishes. The others are written when they are first requested. */
export const plainVariant: ArtifactVariant = { retries: false, reasons: false }

const chunk_bytes = 262_144
const rowsPerRead = 100
const rowsBetweenCollections = 300

/** The stores that the result files are read from and written to. */
export type ArtifactWriterDeps = { reader: RunReader; artifacts: ArtifactStore; collectGarbage: () => void }

/** The names of the stored result files of a variant. */
export type ArtifactNames = Record<ArtifactFormat, string>

/** Returns the names of the stored result files. A later retry changes the names of the merged files. */
export function artifactNamesOf({ retries, reasons }: ArtifactVariant, family: StoredRun[]): ArtifactNames {
  const suffix = `${retries && family.length > 1 ? `+${family.length}` : ''}${reasons ? '+reasons' : ''}`
  return { csv: `csv${suffix}`, geojson: `geojson${suffix}`, report: `report${suffix}` }
}

/** The run and its finished retries, oldest first, or the whole family of a retry. */
export function finishedFamilyOf(run: StoredRun, reader: RunReader): StoredRun[] {
  return reader.listFamily(run).filter(({ finished_at }) => finished_at !== null)
}

/**
 * Writes the result files of a run that has an entry for every location, in one pass over the entries. Yields to the
 * event loop after each chunk. A partial file of an earlier attempt is replaced.
 */
export async function writeArtifacts(
  run: StoredRun,
  variant: ArtifactVariant,
  deps: ArtifactWriterDeps,
): Promise<ArtifactNames> {
  const { reader, artifacts } = deps
  const fields = JSON.parse(run.fields) as string[]
  const family = variant.retries ? finishedFamilyOf(run, reader) : [run]
  const isMerged = family.length > 1
  const columns = artifactColumnsOf({
    fields,
    marginFields: JSON.parse(run.margin_fields) as string[],
    inputColumns: JSON.parse(run.columns) as string[],
    hasOriginalIndex: run.retry_of !== null && !isMerged,
    hasGeocodes: run.kind === 'fetch_batch' && reader.hasAddress(family[0]!.number),
    hasReasons: variant.reasons,
  })
  const names = artifactNamesOf(variant, family)
  const csv = new ArtifactFile(run.number, names.csv, artifacts)
  const geojson = new ArtifactFile(run.number, names.geojson, artifacts)
  const reportFile = new ArtifactFile(run.number, names.report, artifacts)
  const report = new RunReportBuilder()
  csv.add(encoder.encode(csvHeaderOf(columns)))
  geojson.add(encoder.encode(geojsonStart))
  let separator = ''
  for (const entry of isMerged ? mergedEntriesOf(family, reader) : entriesOf(run, deps)) {
    // An entry is parsed once for all files.
    const row = artifactRowOf(entry, fields, run)
    csv.add(encoder.encode(csvLineOf(row, columns)))
    geojson.add(encoder.encode(separator + geojsonFeatureOf(row, columns)))
    report.add(row, fields)
    separator = geojsonSeparator
    const hasWritten = [csv.writeFullChunk(), geojson.writeFullChunk()]
    if (hasWritten.includes(true)) await nextTurn()
  }
  geojson.add(encoder.encode(geojsonEnd))
  reportFile.add(encoder.encode(JSON.stringify(report.finish())))
  for (const file of [csv, geojson, reportFile]) file.finish()
  return names
}

const encoder = new TextEncoder()

function* entriesOf(run: StoredRun, { reader, collectGarbage }: ArtifactWriterDeps): Generator<StoredEntry> {
  for (let from = 0; from < run.total; from += rowsPerRead) {
    yield* reader.listEntries(run.number, from, rowsPerRead)
    if (from % rowsBetweenCollections === 0) collectGarbage()
  }
}

/** One result file. It is written to the database in chunks, with a hash of all bytes as its ETag. */
class ArtifactFile {
  readonly #run: number
  readonly #name: string
  readonly #artifacts: ArtifactStore
  readonly #hash = new Bun.CryptoHasher('sha256')
  #pending: Uint8Array[] = []
  #pending_bytes = 0
  #written_bytes = 0

  constructor(run: number, name: string, artifacts: ArtifactStore) {
    this.#run = run
    this.#name = name
    this.#artifacts = artifacts
    artifacts.clear(run, name)
  }

  add(bytes: Uint8Array): void {
    this.#pending.push(bytes)
    this.#pending_bytes += bytes.length
  }

  /** Writes the pending bytes if they make a whole chunk, and returns whether it did. */
  writeFullChunk(): boolean {
    if (this.#pending_bytes < chunk_bytes) return false
    this.#write()
    return true
  }

  finish(): void {
    if (this.#pending_bytes > 0) this.#write()
    const etag = `"${this.#hash.digest('hex').slice(0, 32)}"`
    this.#artifacts.finish(this.#run, this.#name, { etag, bytes: this.#written_bytes })
  }

  #write(): void {
    const bytes = Buffer.concat(this.#pending)
    this.#artifacts.addChunk(this.#run, this.#name, this.#written_bytes, bytes)
    this.#hash.update(bytes)
    this.#written_bytes += bytes.length
    this.#pending = []
    this.#pending_bytes = 0
  }
}
