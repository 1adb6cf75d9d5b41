import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Artifacts } from '../store/artifacts.ts'
import type { RunReads, StoredRun } from '../store/runs.ts'
import { csvOf } from './artifact-csv.ts'
import { geojsonOf } from './artifact-geojson.ts'
import { rowOf, type Row } from './row.ts'

export type ArtifactName = 'csv' | 'geojson'

const chunk_bytes = 262_144
const readAtOnce = 100
const restEvery = 300

/** Writes both files of a run whose every location has its entry, and rests after each piece of it. What was written before, and cut short, is begun anew. */
export async function writeArtifacts(run: StoredRun, reads: RunReads, artifacts: Artifacts, rest: () => void): Promise<void> {
  const fields = JSON.parse(run.fields) as string[]
  const columns = JSON.parse(run.columns) as string[]
  const rows = () => rowsOf(run, fields, reads, rest)
  await write(run.number, 'csv', csvOf(rows(), fields, columns), artifacts)
  await write(run.number, 'geojson', geojsonOf(rows(), fields), artifacts)
}

function* rowsOf(run: StoredRun, fields: string[], reads: RunReads, rest: () => void): Generator<Row> {
  for (let from = 0; from < run.total; from += readAtOnce) {
    for (const entry of reads.entries(run.number, from, readAtOnce)) yield rowOf(entry, fields, run)
    if (from % restEvery === 0) rest()
  }
}

async function write(run: number, name: ArtifactName, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, artifacts: Artifacts): Promise<void> {
  artifacts.clear(run, name)
  const hash = new Bun.CryptoHasher('sha256')
  let waiting: Uint8Array[] = []
  let held_bytes = 0
  let written_bytes = 0
  const flush = () => {
    const bytes = Buffer.concat(waiting)
    artifacts.add(run, name, written_bytes, bytes)
    hash.update(bytes)
    written_bytes += bytes.length
    waiting = []
    held_bytes = 0
  }
  for await (const piece of pieces) {
    waiting.push(piece)
    held_bytes += piece.length
    if (held_bytes < chunk_bytes) continue
    flush()
    await nextTurn()
  }
  if (held_bytes > 0) flush()
  artifacts.finish(run, name, { etag: `"${hash.digest('hex').slice(0, 32)}"`, bytes: written_bytes })
}
