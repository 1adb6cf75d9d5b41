import { isIntactEntry, isIntactLocation, type CheckedEntry, type CheckedLocation } from './entry-checksum.ts'
import { etagOfHash } from './runs/artifacts.ts'
import { parseRunColumn } from './runs/run-request.ts'
import type { StoredRun } from './runs/runs.ts'
import type { Sql } from './sql.ts'

const reportedMax = 3

type RowOfRun = { id: string; run: number; idx: number; block: Uint8Array | null }
type ResultRow = CheckedEntry & RowOfRun
type LocationRow = CheckedLocation & RowOfRun
type ChunkPosition = { run: number; name: string; start: number }
type ChunkRow = ChunkPosition & { id: string; etag: string; bytes: Uint8Array; block: Uint8Array | null }

/** Returns a sentence for the requests, locations, results and result files of runs that are not as they were written. */
export async function findDamagedResults(sql: Sql): Promise<string[]> {
  const problems = {
    'Damaged requests:': await damagedRequests(sql),
    'Damaged locations:': await damagedLocations(sql),
    'Damaged results:': await damagedEntries(sql),
    'Damaged result files:': await damagedFiles(sql),
  }
  return Object.entries(problems).flatMap(([problem, ids]) =>
    ids.length === 0 ? [] : [`${problem} ${ids.slice(0, reportedMax).join(', ')}.`],
  )
}

async function damagedRequests(sql: Sql): Promise<string[]> {
  const read = ({ number }: { number: number }) =>
    sql.all<StoredRun>('SELECT * FROM runs WHERE number > $number ORDER BY number LIMIT 64', { number })
  const damaged: string[] = []
  for await (const run of rowsOf({ number: -1 }, read)) if (!isIntactRequest(run)) damaged.push(run.id)
  return damaged
}

function isIntactRequest(run: StoredRun): boolean {
  try {
    return (['selection', 'fields', 'margin_fields', 'columns'] as const).every((column) => parseRunColumn(run, column))
  } catch {
    return false
  }
}

function damagedLocations(sql: Sql): Promise<string[]> {
  return damagedRows<LocationRow>(sql, 'locations', ({ block, ...row }) =>
    block ? isIntactEntry({ ...row, ok: true, entry: block }) : isIntactLocation(row),
  )
}

function damagedEntries(sql: Sql): Promise<string[]> {
  return damagedRows<ResultRow>(sql, 'results', (row) => isIntactEntry({ ...row, entry: row.block ?? row.entry }))
}

async function damagedRows<Row extends RowOfRun>(
  sql: Sql,
  what: 'locations' | 'results',
  isIntact: (row: Row) => boolean,
): Promise<string[]> {
  const select = `SELECT r.id, t.*, ${sql.dialect.blockOf('t')} AS block
    FROM run_${what} t JOIN runs r ON r.number = t.run WHERE (t.run, t.idx) > ($run, $idx) ORDER BY t.run, t.idx LIMIT 256`
  const read = ({ run, idx }: Pick<RowOfRun, 'run' | 'idx'>) => sql.all<Row>(select, { run, idx })
  const damaged: string[] = []
  for await (const row of rowsOf<Pick<RowOfRun, 'run' | 'idx'>, Row>({ run: -1, idx: -1 }, read))
    if (!isIntact(row)) damaged.push(`${row.id}/${what}/${row.idx}`)
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
