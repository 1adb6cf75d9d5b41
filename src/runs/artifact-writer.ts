import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ArtifactStore } from '../store/artifacts.ts'
import type { RunReader, StoredRun } from '../store/run-reader.ts'
import { csvArtifact } from './artifact-csv.ts'
import { geojsonArtifact } from './artifact-geojson.ts'
import { artifactRowOf, type ArtifactRow } from './artifact-row.ts'

export type ArtifactName = 'csv' | 'geojson'

const chunk_bytes = 262_144
const rowsPerRead = 100
const rowsBetweenCollections = 300

/**
 * Writes both result files of a run that has an entry for every location. Yields to the event loop after each chunk.
 * A partial file of an earlier attempt is replaced.
 */
export async function writeArtifacts(
  run: StoredRun,
  reader: RunReader,
  artifacts: ArtifactStore,
  collectGarbage: () => void,
): Promise<void> {
  const fields = JSON.parse(run.fields) as string[]
  const columns = JSON.parse(run.columns) as string[]
  const rows = () => rowsOf(run, fields, reader, collectGarbage)
  await writeArtifact(run.number, 'csv', csvArtifact(rows(), fields, columns), artifacts)
  await writeArtifact(run.number, 'geojson', geojsonArtifact(rows(), fields), artifacts)
}

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

async function writeArtifact(
  run: number,
  name: ArtifactName,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  artifacts: ArtifactStore,
): Promise<void> {
  artifacts.clear(run, name)
  const hash = new Bun.CryptoHasher('sha256')
  let pending: Uint8Array[] = []
  let pending_bytes = 0
  let written_bytes = 0
  const flush = () => {
    const bytes = Buffer.concat(pending)
    artifacts.addChunk(run, name, written_bytes, bytes)
    hash.update(bytes)
    written_bytes += bytes.length
    pending = []
    pending_bytes = 0
  }
  for await (const chunk of chunks) {
    pending.push(chunk)
    pending_bytes += chunk.length
    if (pending_bytes < chunk_bytes) continue
    flush()
    await nextTurn()
  }
  if (pending_bytes > 0) flush()
  artifacts.finish(run, name, { etag: `"${hash.digest('hex').slice(0, 32)}"`, bytes: written_bytes })
}
