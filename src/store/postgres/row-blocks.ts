import { entryChecksum, requireIntactEntry, requireIntactLocation } from '../entry-checksum.ts'
import type { StoredLocation, StoredResult } from '../runs/run-row-reader.ts'
import type { PostgresQuery } from './postgres-pool.ts'

/**
 * A table whose rows can be in blocks. A block is a row of the table that holds several rows: the index of the first,
 * their number, and one value with a line of text for each. No line contains a line break.
 */
type BlockTable<Row> = {
  name: 'run_locations' | 'run_results'
  /** How many rows a reader reads together, at least. */
  batch_rows: number
  /** The columns of a row that is not in a block. Rows of earlier releases, and copied rows, are not. */
  columns: readonly (keyof Row & string)[]
  /** @throws {ApiError} `stored_data_damaged` if a row of the table is not as it was written. */
  requireIntact(found: TableRow<Row>): void
  lineOf(row: Row): string
  parseLine(line: string, idx: number): Row
  /** Whether a row is ok. A block is ok if all of its rows are. */
  isOk(row: Row): boolean
}

/** The table of the locations of runs. */
export const locationTable: BlockTable<StoredLocation> = {
  name: 'run_locations',
  batch_rows: 512,
  columns: ['idx', 'input', 'passthrough', 'original_index', 'checksum'],
  requireIntact({ block, checksum = null, ...row }) {
    if (block) requireIntactEntry({ idx: row.idx, ok: true, entry: block, checksum })
    else requireIntactLocation({ ...row, checksum })
  },
  lineOf: ({ input, passthrough, original_index }) => [input, passthrough, original_index].join('\t'),
  parseLine(line, idx) {
    const [input = '', passthrough = '', original_index = ''] = line.split('\t')
    return {
      idx,
      input,
      passthrough: passthrough === '' ? null : passthrough,
      original_index: original_index === '' ? null : Number(original_index),
    }
  },
  isOk: () => true,
}

/** The table of the results of runs. */
export const resultTable: BlockTable<StoredResult> = {
  name: 'run_results',
  batch_rows: 512,
  columns: ['idx', 'ok', 'retryable', 'entry', 'checksum'],
  requireIntact({ idx, ok, entry, block, checksum = null }) {
    requireIntactEntry({ idx, ok, entry: block ?? entry, checksum })
  },
  lineOf: ({ ok, retryable, entry }) => `${Number(ok)}${Number(retryable)}${entry}`,
  parseLine: (line, idx) => ({ idx, ok: line[0] === '1', retryable: line[1] === '1', entry: line.slice(2) }),
  isOk: ({ ok }) => ok,
}

const blockMax_rows = 256
/** A block with more than one row has at most this many characters, so that a reader needs little memory. */
const blockMax_characters = 1_048_576

/**
 * Blocks to insert. `contents`: their bytes, one after the other. `blocks`: a JSON list that says where each begins.
 */
export type EncodedBlocks = { blocks: string; contents: Uint8Array }

/** Encodes rows in the order of their indexes. Rows that follow each other are in one block, compressed with zstd. */
export function encodeBlocks<Row extends { idx: number }>(table: BlockTable<Row>, rows: readonly Row[]): EncodedBlocks {
  const contents: Uint8Array[] = []
  const blocks: { idx: number; rows: number; ok: boolean; start: number; length: number; checksum: number }[] = []
  let start = 1
  for (const { idx, lines, ok } of divideLines(rows, table)) {
    const content = Bun.zstdCompressSync(lines.join('\n'))
    contents.push(content)
    const checksum = entryChecksum({ idx, ok, entry: content })
    blocks.push({ idx, rows: lines.length, ok, start, length: content.length, checksum })
    start += content.length
  }
  return { blocks: JSON.stringify(blocks), contents: Buffer.concat(contents) }
}

type BlockLines = { idx: number; lines: string[]; ok: boolean }

function divideLines<Row extends { idx: number }>(
  rows: readonly Row[],
  { lineOf, isOk }: BlockTable<Row>,
): BlockLines[] {
  const divided: BlockLines[] = []
  let characters = 0
  for (const row of rows) {
    const line = lineOf(row)
    const block = divided.at(-1)
    characters += line.length
    const isNext = block && block.idx + block.lines.length === row.idx && block.lines.length < blockMax_rows
    if (isNext && characters <= blockMax_characters) {
      block.lines.push(line)
      block.ok &&= isOk(row)
    } else {
      divided.push({ idx: row.idx, lines: [line], ok: isOk(row) })
      characters = line.length
    }
  }
  return divided
}

/**
 * Returns SQL for encoded blocks as a table. The arguments are the parameters with `blocks` and `contents`: `$1`, `$2`.
 */
export const blocksFrom = (blocks: string, contents: string) =>
  `(SELECT idx, rows, ok, checksum, substring(${contents}::bytea FROM start FOR length) AS block
    FROM json_to_recordset(${blocks}::text::json)
      AS b (idx integer, rows integer, ok boolean, start integer, length integer, checksum bigint))`

/** A row of a table: a block, or a row that is not in a block. */
export type TableRow<Row> = Row & { rows: number; block: Uint8Array | null }

/**
 * Returns the rows of a block, or the row itself.
 * @throws {ApiError} `stored_data_damaged` if it is not as it was written.
 */
export function rowsOfBlock<Row>(
  { parseLine, requireIntact }: BlockTable<Row>,
  found: TableRow<Row> & { idx: number },
): Row[] {
  requireIntact(found)
  if (found.block === null) return [found]
  const lines = Bun.zstdDecompressSync(found.block).toString().split('\n')
  return lines.map((line, index) => parseLine(line, found.idx + index))
}

/** A reader caches the rows of this many blocks, because its callers read the rows of a block one after the other. */
const cachedBlocks = 16

/** Reads the rows of a table. */
export class RowReader<Row extends { idx: number }> {
  readonly #query: PostgresQuery
  readonly #table: BlockTable<Row>
  readonly #statement: string
  /** Blocks never change, so they stay valid. */
  readonly #kept: { run: number; rows: Row[] }[] = []

  /** `condition`: SQL that selects the rows and blocks to read (default: all). */
  constructor(query: PostgresQuery, table: BlockTable<Row>, condition = 'TRUE') {
    this.#query = query
    this.#table = table
    this.#statement = `SELECT ${table.columns.join(', ')}, rows, block FROM (
        SELECT *, sum(rows) OVER (ORDER BY idx) - rows AS rows_before FROM (
          SELECT * FROM ${table.name} WHERE run = $1 AND idx + rows > $2 AND ${condition}
            AND idx >= coalesce((SELECT max(idx) FROM ${table.name} WHERE run = $1 AND idx <= $2), 0)
          ORDER BY idx LIMIT $3) found) counted
      WHERE rows_before < $3 ORDER BY idx`
  }

  /** Yields the rows of a run from an index on, in order. */
  async *rowsFrom(run: number, from: number): AsyncGenerator<Row> {
    for (let next = from; ;) {
      const rows = await this.#read(run, next, this.#table.batch_rows)
      if (rows.length === 0) return
      yield* rows
      next = rows.at(-1)!.idx + 1
    }
  }

  /** Finds a row; null if there is none. */
  async find(run: number, idx: number): Promise<Row | null> {
    const [row] = await this.#read(run, idx, 1)
    return row?.idx === idx ? row : null
  }

  /** Reads rows from an index on: at least `least` rows, if there are as many and no index is missing between them. */
  async #read(run: number, from: number, least: number): Promise<Row[]> {
    const kept = this.#kept.find((it) => it.run === run && it.rows[0]!.idx <= from && from <= it.rows.at(-1)!.idx)
    if (kept) return kept.rows.slice(from - kept.rows[0]!.idx)
    const found = await this.#query<TableRow<Row>>(this.#statement, run, from, least)
    const rows: Row[] = []
    for (const row of found) {
      const unpacked = rowsOfBlock(this.#table, row)
      if (row.block) this.#keep(run, unpacked)
      rows.push(...unpacked)
    }
    return rows.filter(({ idx }) => idx >= from)
  }

  #keep(run: number, rows: Row[]): void {
    this.#kept.push({ run, rows })
    if (this.#kept.length > cachedBlocks) this.#kept.shift()
  }
}
