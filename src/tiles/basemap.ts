import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { openFileReader } from '../raster/file-reader.ts'
import { openPmtiles, type PmtilesArchive } from './pmtiles-archive.ts'
import { decompress, PmtilesError } from './pmtiles-format.ts'
import type { TileJson } from './tile-json.ts'
import type { TilePosition } from './vector-tile.ts'

/** The name of the base map in the path of its tiles. No dataset has it. */
export const basemapId = 'basemap'
/** The file of the base map in the packs folder. */
export const basemapFile = 'basemap.pmtiles'

type OpenBasemap = { edition: string; archive: PmtilesArchive; close(): void }

/** The base map of the packs folder: streets, water and places in the schema of Protomaps. */
export class Basemap {
  readonly #path: string
  #opening: { edition: string; opened: Promise<OpenBasemap> } | null = null

  constructor(folder: string) {
    this.#path = join(folder, basemapFile)
  }

  /** Describes the base map; null if the folder has none. @throws {ApiError} `basemap_unavailable` */
  async describe(base_url: string, signal: AbortSignal): Promise<TileJson | null> {
    const opened = await this.#open(signal)
    return opened && describeArchive(opened.archive, base_url)
  }

  /**
   * Returns a tile without its compression, empty if there is nothing to draw.
   * @throws {ApiError} `not_found` without a base map and outside its zooms; `basemap_unavailable`
   */
  async tile(position: TilePosition, signal: AbortSignal): Promise<Uint8Array> {
    const opened = await this.#open(signal)
    if (!opened)
      throw new ApiError('not_found', `This server has no base map. Put ${basemapFile} into the packs folder.`)
    const { header } = opened.archive
    if (position.z < header.minzoom || position.z > header.maxzoom)
      throw new ApiError('not_found', `The base map has tiles from zoom ${header.minzoom} to ${header.maxzoom}.`)
    const bytes = await this.#run(() => opened.archive.readTile(position, signal))
    return bytes === null ? new Uint8Array() : this.#run(async () => decompress(bytes, header.tileCompression))
  }

  /** Opens the file, again whenever it was replaced or could not be read; null if there is none. */
  async #open(signal: AbortSignal): Promise<OpenBasemap | null> {
    signal.throwIfAborted()
    return this.#run(async () => {
      const stats = statSync(this.#path, { throwIfNoEntry: false })
      const edition = stats?.isFile() ? `${stats.size} ${stats.mtimeMs} ${stats.ino}` : null
      // Requests that read the replaced file end with an error that a client may retry.
      if (this.#opening?.edition !== edition) this.close()
      if (edition === null) return null
      const { opened } = (this.#opening ??= { edition, opened: openFile(this.#path, edition) })
      return opened.catch((error: unknown) => {
        // The file may be readable again although it has not changed.
        if (this.#opening?.opened === opened) this.#opening = null
        throw error
      })
    })
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof DOMException) throw cause
      const advice =
        cause instanceof PmtilesError
          ? `${cause.message} Replace the file.`
          : 'cannot be read. Check that the account of this service can read it.'
      throw new ApiError('basemap_unavailable', `The base map ${basemapFile} ${advice}`, {}, { cause })
    }
  }

  close(): void {
    void this.#opening?.opened.then(({ close }) => close()).catch(() => undefined)
    this.#opening = null
  }
}

async function openFile(path: string, edition: string): Promise<OpenBasemap> {
  const file = await openFileReader(path)
  try {
    const read = ({ offset, length }: { offset: number; length: number }, signal: AbortSignal) =>
      file.read(offset, length, { signal })
    // Several requests share the archive, so none of them may abort its opening.
    const archive = await openPmtiles(read, new AbortController().signal)
    return { edition, archive, close: () => file.close() }
  } catch (error) {
    file.close()
    throw error
  }
}

function describeArchive({ header, metadata }: PmtilesArchive, base_url: string): TileJson {
  const textOf = (name: string) => (typeof metadata[name] === 'string' ? metadata[name] : null)
  const layers = Array.isArray(metadata.vector_layers) ? metadata.vector_layers.filter(isRecord) : []
  return {
    tilejson: '3.0.0',
    id: basemapId,
    name: textOf('name') ?? 'Base map',
    attribution: attributionOf(metadata),
    vintage: textOf('planetiler:osm:osmosisreplicationtime')?.slice(0, 10) ?? null,
    tiles: [`${base_url}/tiles/${basemapId}/{z}/{x}/{y}.mvt`],
    minzoom: header.minzoom,
    maxzoom: header.maxzoom,
    bounds: header.bounds,
    vector_layers: layers.map(({ id }) => ({ id: String(id), fields: {} })),
    colored_fields: [],
  }
}

/** The attribution of an archive as plain text; empty if it has none. Archives state it as HTML, with links. */
export function attributionOf({ attribution }: Record<string, unknown>): string {
  return (typeof attribution === 'string' ? attribution : '')
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&copy;', '©')
    .replaceAll('&amp;', '&')
    .trim()
}
