import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { coalesceReads } from '../drivers/coalesce-reads.ts'
import { openFileReader } from '../raster/file-reader.ts'
import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readStorageRange } from '../storage/file-storage.ts'
import { describeWebFile } from '../storage/web-folder.ts'
import { openPmtiles, type PmtilesArchive, type ReadArchiveBytes } from './pmtiles-archive.ts'
import { PmtilesError } from './pmtiles-format.ts'
import { batchesOf, isIntactBatch, type ExtractBatch, type PmtilesExtract } from './pmtiles-extract.ts'
import type { TileRange } from './tile-ranges.ts'

/** A source of base maps: a file, or a file on a web server. `version` changes with its content. */
export type BasemapSource = { archive: PmtilesArchive; version: string; read: ReadArchiveBytes; close(): void }

/** Opens a local archive. @throws {PmtilesError} if it is none, or not of the Protomaps schema. */
export async function openBasemapFile(path: string, signal: AbortSignal): Promise<BasemapSource> {
  const file = await openFileReader(path)
  const read: ReadArchiveBytes = ({ offset, length }, readSignal) => file.read(offset, length, { signal: readSignal })
  try {
    const archive = requireBasemap(await openPmtiles(read, signal))
    return { archive, version: file.id, read, close: () => file.close() }
  } catch (error) {
    file.close()
    throw error
  }
}

/** Opens an archive on a web server, which is read by ranges. @throws {UpstreamError} if the server does not answer. */
export async function openRemoteBasemap(url: string, net: HttpClient, signal: AbortSignal): Promise<BasemapSource> {
  const name = new URL(url).pathname.split('/').at(-1)!
  const storage = { location: url.slice(0, url.lastIndexOf('/') + 1), urlOf: () => url }
  const file = await describeWebFile(net, { name, url }, { signal })
  const readRange = coalesceReads(async (offset, length, budget) =>
    readStorageRange({ net, storage }, file, { offset, length }, budget),
  )
  const read: ReadArchiveBytes = async ({ offset, length }, readSignal) => {
    const available = Math.min(length, file.size_bytes - offset)
    return available <= 0 ? new Uint8Array() : readRange(offset, available, { signal: readSignal })
  }
  return { archive: requireBasemap(await openPmtiles(read, signal)), version: file.version, read, close() {} }
}

/** Layers of the Protomaps schema that every place has. */
const protomapsLayers = ['earth', 'water', 'roads']

function requireBasemap(archive: PmtilesArchive): PmtilesArchive {
  const layers = Array.isArray(archive.metadata.vector_layers) ? archive.metadata.vector_layers.filter(isRecord) : []
  if (layers.some(({ id }) => protomapsLayers.includes(String(id)))) return archive
  throw new PmtilesError('is not a base map in the Protomaps schema: it has none of the layers earth, water and roads.')
}

type CopyOptions = {
  path: string
  /** Receives how many bytes of the new archive are there. */
  report(bytes: number): void
}

/**
 * Writes an extract to a file. A copy that was interrupted continues, so the path must belong to the extract. Every
 * tile is decompressed before it is written, also those of an interrupted copy.
 * @throws {PmtilesError} if a tile is damaged.
 */
export async function copyExtract(
  source: BasemapSource,
  extract: PmtilesExtract,
  { path, report }: CopyOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = openSync(path, existsSync(path) ? 'r+' : 'w+', 0o644)
  try {
    writeAt(target, extract.start, 0)
    let isCopied = true
    for (const batch of batchesOf(extract)) {
      isCopied &&= isIntactBatch(readAt(target, batch), batch, source.archive)
      if (!isCopied) writeAt(target, await readBatch(source, batch, signal), batch.from)
      report(batch.end)
    }
    ftruncateSync(target, extract.bytes)
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** Reads the directories of a finished copy again. @throws {PmtilesError} if they are not those of the extract. */
export async function verifyCopy(
  path: string,
  { entries, bytes }: PmtilesExtract,
  ranges: readonly TileRange[],
  signal: AbortSignal,
): Promise<void> {
  const copy = await openBasemapFile(path, signal)
  try {
    const { tiles } = copy.archive.header
    const found = await copy.archive.listEntries(ranges, signal)
    if (tiles.offset + tiles.length !== bytes || !isDeepStrictEqual(found, entries))
      throw new PmtilesError('was not copied completely.')
  } finally {
    copy.close()
  }
}

async function readBatch(source: BasemapSource, batch: ExtractBatch, signal: AbortSignal): Promise<Uint8Array> {
  const tiles = await Promise.all(batch.contents.map((content) => source.read(content, signal)))
  const bytes = new Uint8Array(Buffer.concat(tiles))
  if (bytes.length === batch.end - batch.from && isIntactBatch(bytes, batch, source.archive)) return bytes
  throw new PmtilesError('has damaged tiles.')
}

function readAt(file: number, { from, end }: ExtractBatch): Uint8Array {
  const bytes = new Uint8Array(end - from)
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
}

function writeAt(file: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(file, bytes, written, bytes.length - written, position + written)
}
