import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ArtifactStore } from '../store/artifacts.ts'
import type { RunReader, StoredRun } from '../store/run-reader.ts'
import { csvArtifact } from './artifact-csv.ts'
import { geojsonEnd, geojsonFeatureOf, geojsonSeparator, geojsonStart } from './artifact-geojson.ts'
import { artifactRowOf, type ArtifactRow } from './artifact-row.ts'

export type ArtifactName = 'csv' | 'geojson'

const chunk_bytes = 262_144
const rowsPerRead = 100
const rowsBetweenCollections = 300

/**
 * Writes both result files of a run that has an entry for every location, in one pass over the entries. Yields to the
 * event loop after each chunk. A partial file of an earlier attempt is replaced.
 */
export async function writeArtifacts(
  run: StoredRun,
  reader: RunReader,
  artifacts: ArtifactStore,
  collectGarbage: () => void,
): Promise<void> {
  const fields = JSON.parse(run.fields) as string[]
  const columns = JSON.parse(run.columns) as string[]
  const csv = new ArtifactFile(run.number, 'csv', artifacts)
  const geojson = new ArtifactFile(run.number, 'geojson', artifacts)
  geojson.add(encoder.encode(geojsonStart))
  for await (const chunk of csvArtifact(rowsWithFeatures(), fields, columns)) {
    csv.add(chunk)
    const hasWritten = [csv.writeFullChunk(), geojson.writeFullChunk()]
    if (hasWritten.includes(true)) await nextTurn()
  }
  geojson.add(encoder.encode(geojsonEnd))
  csv.finish()
  geojson.finish()

  /** Yields each row for the CSV file after adding it to the GeoJSON file: an entry is parsed once. */
  function* rowsWithFeatures(): Generator<ArtifactRow> {
    let separator = ''
    for (const row of rowsOf(run, fields, reader, collectGarbage)) {
      geojson.add(encoder.encode(separator + geojsonFeatureOf(row, fields)))
      separator = geojsonSeparator
      yield row
    }
  }
}

const encoder = new TextEncoder()

function* rowsOf(
  run: StoredRun,
  fields: string[],
  reader: RunReader,
  collectGarbage: () => void,
): Generator<ArtifactRow> {
  for (let from = 0; from < run.total; from += rowsPerRead) {
    for (const entry of reader.listEntries(run.number, from, rowsPerRead)) yield artifactRowOf(entry, fields, run)
    if (from % rowsBetweenCollections === 0) collectGarbage()
  }
}

/** One result file. It is written to the database in chunks, with a hash of all bytes as its ETag. */
class ArtifactFile {
  readonly #run: number
  readonly #name: ArtifactName
  readonly #artifacts: ArtifactStore
  readonly #hash = new Bun.CryptoHasher('sha256')
  #pending: Uint8Array[] = []
  #pending_bytes = 0
  #written_bytes = 0

  constructor(run: number, name: ArtifactName, artifacts: ArtifactStore) {
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
