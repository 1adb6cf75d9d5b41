import { edenGC } from 'bun:jsc'
import { Database } from 'bun:sqlite'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { readGeometry } from '../geo/wkb.ts'
import type { Point } from '../model/place.ts'
import type { FeatureQuery, Properties } from '../model/source.ts'
import type { IncrementalTask } from '../async/incremental-task.ts'
import { describeLayer, readAllRows, readFeaturesNamed } from './geopackage-rows.ts'
import { loadMemoryGrid, type MemoryGrid } from './memory-grid.ts'
import { loadMemoryLayer, type MemoryLayer } from './memory-layer.ts'

/** The origin, license, edition and derivation of an embedded layer. */
type EmbeddedLayerInfo = {
  layer: string
  title: string
  /** JSON: the data packages, each `{ name, version, file, sha256 }`. */
  packages: string
  publisher: string
  source_url: string
  licence: string
  attribution: string | null
  vintage: string
  features: number
  derivation: string
}

/** The data compiled into the executable. A layer is loaded on first use, or by `warm`. */
export type EmbeddedData = {
  manifest: ReadonlyMap<string, EmbeddedLayerInfo>
  /** Returns a layer; loads the rest of it synchronously if it is not loaded. */
  layer(name: string): MemoryLayer
  /**
   * Null if the layer is ready for such a query. Otherwise resolves when it is, yielding to the event loop meanwhile.
   */
  prepare(name: string, query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  grid(name: string): MemoryGrid
  /** Returns the common words of American English, one per line. The first line is empty, so that each word stands between two line feeds. */
  englishWords(): string
  /** Returns the points of a layer whose NAME is one of these, in any case. */
  pointsNamed(layer: string, names: readonly string[]): { at: Point; properties: Properties }[]
  /** Loads everything, yielding to the event loop; resolves to false if the data was closed meanwhile. */
  warm(): Promise<boolean>
  isLoaded(name: string): boolean
  close(): void
}

const gridNames = new Set(['geoid'])
const wordsName = 'english_words'

/**
 * Time to load before yielding to the event loop. Each yield collects garbage; without it the process doubles in
 * size.
 */
const slice_ms = 8

/** Opens the embedded GeoPackage from a file or from its bytes. */
export function openEmbeddedData(file: string | Uint8Array): EmbeddedData {
  const db = typeof file === 'string' ? new Database(file, { readonly: true }) : Database.deserialize(file, true)
  const manifest = new Map(readAllRows<EmbeddedLayerInfo>(db, 'embedded_manifest').map((row) => [row.layer, row]))
  const layerTasks = new Map<string, IncrementalTask<MemoryLayer>>()
  const loadedGrids = new Map<string, MemoryGrid>()
  const loopTurn = createYieldToEventLoop(slice_ms, edenGC)
  const layerTask = (name: string) =>
    layerTasks.get(name) ?? remember(layerTasks, name, loadMemoryLayer(db, name, loopTurn))
  let isOpen = true
  return {
    manifest,
    layer: (name) => layerTask(name).runSync(),
    prepare(name, query) {
      const layer = layerTask(name)
      return layer.isDone() ? layer.runSync().prepare(query) : layer.run().then((it) => it.prepare(query) ?? undefined)
    },
    englishWords: () =>
      readAllRows<{ word: string }>(db, wordsName).reduce((lines, { word }) => `${lines}${word}\n`, '\n'),
    grid: (name) => loadedGrids.get(name) ?? remember(loadedGrids, name, loadMemoryGrid(db, name)),
    pointsNamed: (name, names) =>
      readFeaturesNamed(db, describeLayer(db, name), names).map(({ geometry, properties }) => ({
        at: pointOf(geometry),
        properties,
      })),
    async warm() {
      try {
        for (const name of manifest.keys()) {
          if (gridNames.has(name)) this.grid(name)
          else if (name !== wordsName) await (await layerTask(name).run()).warm()
        }
      } catch (error) {
        if (isOpen) throw error
      }
      return isOpen
    },
    isLoaded: (name) => layerTasks.get(name)?.isDone() ?? loadedGrids.has(name),
    close() {
      isOpen = false
      db.close()
    },
  }
}

function pointOf(geometry: Uint8Array | null): Point {
  const at = { lat: NaN, lng: NaN }
  const vertex = (lng: number, lat: number) => Object.assign(at, { lat, lng })
  readGeometry(geometry, { polygon() {}, ring() {}, line() {}, vertex })
  return at
}

function remember<T>(map: Map<string, T>, name: string, value: T): T {
  map.set(name, value)
  return value
}
