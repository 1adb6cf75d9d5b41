import type { Database } from 'bun:sqlite'
import { etagOfHash } from '../../runs/artifacts.ts'
import { isIntactEntry } from '../../entry-checksum.ts'

const maxReportedIds = 3

type ResultRow = { id: string; idx: number; ok: number; entry: string; checksum: number | null }
type ChunkRow = { id: string; etag: string; bytes: Uint8Array }

/** Returns a sentence for the results, and one for the result files, that are not as they were written. */
export function findDamagedResults(db: Database): string[] {
  const problems = { 'Damaged results:': damagedEntries(db), 'Damaged result files:': damagedFiles(db) }
  return Object.entries(problems).flatMap(([problem, ids]) =>
    ids.length === 0 ? [] : [`${problem} ${ids.slice(0, maxReportedIds).join(', ')}.`],
  )
}

function damagedEntries(db: Database): string[] {
  const rows = db.query<ResultRow, []>(
    'SELECT r.id, e.idx, e.ok, e.entry, e.checksum FROM run_results e JOIN runs r ON r.number = e.run',
  )
  const damaged: string[] = []
  for (const row of rows.iterate()) if (!isIntactEntry(row)) damaged.push(`${row.id}/results/${row.idx}`)
  return damaged
}

function damagedFiles(db: Database): string[] {
  const rows = db.query<ChunkRow, []>(
    `SELECT r.id || '/' || a.name AS id, a.etag, c.bytes FROM run_artifacts a
     JOIN run_chunks c ON c.run = a.run AND c.name = a.name JOIN runs r ON r.number = a.run
     ORDER BY a.run, a.name, c.start`,
  )
  const hashes = new Map<string, { etag: string; hash: Bun.CryptoHasher }>()
  for (const { id, etag, bytes } of rows.iterate()) {
    const file = hashes.get(id) ?? { etag, hash: new Bun.CryptoHasher('sha256') }
    hashes.set(id, file)
    file.hash.update(bytes)
  }
  return [...hashes].filter(([, { etag, hash }]) => etag !== etagOfHash(hash)).map(([id]) => id)
}
