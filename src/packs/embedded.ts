import { edenGC } from 'bun:jsc'
import { Database } from 'bun:sqlite'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { FeatureQuery } from '../model/source.ts'
import type { IncrementalTask } from '../async/incremental-task.ts'
import { rowsOf } from './geopackage.ts'
import { holdGrid, type HeldGrid } from './held-grid.ts'
import { holdLayer, type HeldLayer } from './held-layer.ts'

/** What is known of an embedded layer: where it came from, under which licence, of which edition, and how it was made. */
type EmbeddedLayer = {
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
  made_how: string
}

/** The real data that is compiled into the executable. A layer is read when it is first asked for, or by `warm`. */
export type Embedded = {
  manifest: ReadonlyMap<string, EmbeddedLayer>
  /** What is not read of it yet is read at once. */
  layer(name: string): HeldLayer
  /** Null when all that such a query of a layer takes is there; else resolves when it is, with breaths between for whatever else has come. */
  ready(name: string, query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  grid(name: string): HeldGrid
  /** Reads everything, with breaths between; false when it was closed meanwhile. */
  warm(): Promise<boolean>
  warmed(name: string): boolean
  close(): void
}

const grids = new Set(['geoid'])

/** So much is read before the event loop turns; what reading leaves behind is collected then, or the process would grow to twice its size by it. */
const slice_ms = 8

/** Opens the embedded GeoPackage from a file, or from its bytes. */
export function openEmbedded(file: string | Uint8Array): Embedded {
  const db = typeof file === 'string' ? new Database(file, { readonly: true }) : Database.deserialize(file, true)
  const manifest = new Map(rowsOf<EmbeddedLayer>(db, 'embedded_manifest').map((row) => [row.layer, row]))
  const layers = new Map<string, IncrementalTask<HeldLayer>>()
  const held = new Map<string, HeldGrid>()
  const loopTurn = createYieldToEventLoop(slice_ms, edenGC)
  const layerOf = (name: string) => layers.get(name) ?? kept(layers, name, holdLayer(db, name, loopTurn))
  let isOpen = true
  return {
    manifest,
    layer: (name) => layerOf(name).runSync(),
    ready(name, query) {
      const layer = layerOf(name)
      return layer.isDone() ? layer.runSync().ready(query) : layer.run().then((it) => it.ready(query) ?? undefined)
    },
    grid: (name) => held.get(name) ?? kept(held, name, holdGrid(db, name)),
    async warm() {
      try {
        for (const name of manifest.keys()) {
          if (grids.has(name)) this.grid(name)
          else await (await layerOf(name).run()).warm()
        }
      } catch (error) {
        if (isOpen) throw error
      }
      return isOpen
    },
    warmed: (name) => layers.get(name)?.isDone() ?? held.has(name),
    close() {
      isOpen = false
      db.close()
    },
  }
}

function kept<T>(map: Map<string, T>, name: string, it: T): T {
  map.set(name, it)
  return it
}
