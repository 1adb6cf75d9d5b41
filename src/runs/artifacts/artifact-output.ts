import { createReadStream } from 'node:fs'
import { etagOfHash, type ArtifactWriter } from '../../store/runs/artifacts.ts'
import { artifactColumnsOf, type ArtifactShape } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'
import { geometryColumn, isTextFormat, resultTextOf, textOfRow, type ResultFormat } from './result-text.ts'
import { openRowFile, type RowFileSpec } from './row-file.ts'

const chunk_bytes = 262_144
const encodedAtOnce_characters = 32_768
const chunksBetweenCollections = 16
/** With 50 fields, a group takes about 10 MB of memory. */
const groupRows = 2_048
const encoder = new TextEncoder()

/** Another worker has taken over the run while this one wrote its result files. */
export class LeaseLostError extends Error {}

/** The rows of a result file. `close` frees what an unfinished file holds. */
export type ResultRows = { add(row: ArtifactRow): void; finish(): void; close(): void }

type ResultSpec = Pick<RowFileSpec, 'fieldTypes' | 'hasAreas'> & { shape: ArtifactShape; path: string }

/** Opens the rows of a file. A GeoPackage is a database: it is written at the path, and copied at its end. */
export async function openResultRows(
  file: ArtifactFile,
  format: ResultFormat,
  { shape, path, ...spec }: ResultSpec,
): Promise<ResultRows> {
  if (isTextFormat(format)) return textRowsOf(file, format, shape)
  const columns = artifactColumnsOf(shape)
  const target = { path, write: (bytes: Uint8Array) => file.add(bytes) }
  const rows = await openRowFile(format, { ...spec, columns, groupRows }, target)
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

/** Begins the text of a result in a file. */
export function textRowsOf(file: ArtifactFile, format: ResultFormat, shape: ArtifactShape): ResultRows {
  const text = resultTextOf(format, shape)
  let separator = ''
  file.addText(text.start)
  return {
    add(row) {
      file.addText(separator + textOfRow(text.row, row))
      separator = text.separator
    },
    finish: () => file.addText(text.end),
    close() {},
  }
}

/** One result file. It is written to the database in chunks, with a hash of all bytes as its ETag. */
export class ArtifactFile {
  readonly #run: number
  readonly #name: string
  readonly #artifacts: ArtifactWriter
  readonly #hash = new Bun.CryptoHasher('sha256')
  /** The text after the pending bytes. */
  #text = ''
  #pending: Uint8Array[] = []
  #pending_bytes = 0
  #written_bytes = 0

  private constructor(run: number, name: string, artifacts: ArtifactWriter) {
    this.#run = run
    this.#name = name
    this.#artifacts = artifacts
  }

  /** Starts a result file. Deletes what an earlier attempt has left of it. @throws {LeaseLostError} */
  static async start(run: number, name: string, artifacts: ArtifactWriter): Promise<ArtifactFile> {
    if (!(await artifacts.clear(run, name))) throw new LeaseLostError()
    return new ArtifactFile(run, name, artifacts)
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
