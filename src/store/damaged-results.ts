import { isIntactEntry, type CheckedEntry } from './entry-checksum.ts'
import { etagOfHash } from './runs/artifacts.ts'
import type { Sql } from './sql.ts'

const reportedMax = 3

type ResultRow = CheckedEntry & { id: string; run: number; block: Uint8Array | null }
type ChunkPosition = { run: number; name: string; start: number }
type ChunkRow = ChunkPosition & { id: string; etag: string; bytes: Uint8Array; block: Uint8Array | null }

/** Returns a sentence for the results, and one for the result files, that are not as they were written. */
export async function findDamagedResults(sql: Sql): Promise<string[]> {
  const problems = { 'Damaged results:': await damagedEntries(sql), 'Damaged result files:': await damagedFiles(sql) }
  return Object.entries(problems).flatMap(([problem, ids]) =>
    ids.length === 0 ? [] : [`${problem} ${ids.slice(0, reportedMax).join(', ')}.`],
  )
}

async function damagedEntries(sql: Sql): Promise<string[]> {
  const select = `SELECT r.id, e.run, e.idx, e.ok, e.entry, ${sql.dialect.blockOf('e')} AS block, e.checksum
    FROM run_results e JOIN runs r ON r.number = e.run
    WHERE (e.run, e.idx) > ($run, $idx) ORDER BY e.run, e.idx LIMIT 256`
  const read = ({ run, idx }: { run: number; idx: number }) => sql.all<ResultRow>(select, { run, idx })
  const damaged: string[] = []
  for await (const { block, ...row } of rowsOf({ run: -1, idx: -1 }, read))
    if (!isIntactEntry({ ...row, entry: block ?? row.entry })) damaged.push(`${row.id}/results/${row.idx}`)
  return damaged
}

async function damagedFiles(sql: Sql): Promise<string[]> {
  const select = `SELECT r.id, a.run, a.name, a.etag, c.start, c.bytes, ${sql.dialect.blockOf('c')} AS block
    FROM run_artifacts a JOIN run_chunks c ON ${sql.dialect.isChunkOfFile} JOIN runs r ON r.number = a.run
    WHERE (a.run, a.name, c.start) > ($run, $name, $start) ORDER BY a.run, a.name, c.start LIMIT 8`
  const read = ({ run, name, start }: ChunkPosition) => sql.all<ChunkRow>(select, { run, name, start })
  const files = new Map<string, { etag: string; hash: Bun.CryptoHasher }>()
  for await (const { id, name, etag, bytes, block } of rowsOf({ run: -1, name: '', start: -1 }, read)) {
    const file = files.get(`${id}/${name}`) ?? { etag, hash: new Bun.CryptoHasher('sha256') }
    files.set(`${id}/${name}`, file)
    file.hash.update(contentOf(bytes, block))
  }
  return [...files].filter(([, { etag, hash }]) => etag !== etagOfHash(hash)).map(([id]) => id)
}

/** Reads rows in groups, each after the last row of the one before. */
async function* rowsOf<Position, Row extends Position>(first: Position, read: (after: Position) => Promise<Row[]>) {
  for (let rows = await read(first); rows.length > 0; rows = await read(rows.at(-1)!)) yield* rows
}

/** A compressed chunk that cannot be decompressed is damaged, too: its file then has another hash. */
function contentOf(bytes: Uint8Array, block: Uint8Array | null): Uint8Array {
  try {
    return block === null ? bytes : Bun.zstdDecompressSync(block)
  } catch {
    return new Uint8Array()
  }
}
