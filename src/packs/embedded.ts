import { Database } from 'bun:sqlite'
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
  layer(name: string): HeldLayer
  grid(name: string): HeldGrid
  /** Reads everything, one layer at a time with a breath between them; false when it was closed meanwhile. */
  warm(): Promise<boolean>
  warmed(name: string): boolean
  close(): void
}

const grids = new Set(['geoid'])

/** Opens the embedded GeoPackage from a file, or from its bytes. */
export function openEmbedded(file: string | Uint8Array): Embedded {
  const db = typeof file === 'string' ? new Database(file, { readonly: true }) : Database.deserialize(file, true)
  const manifest = new Map(rowsOf<EmbeddedLayer>(db, 'embedded_manifest').map((row) => [row.layer, row]))
  const layers = new Map<string, HeldLayer>()
  const held = new Map<string, HeldGrid>()
  let isOpen = true
  return {
    manifest,
    layer: (name) => layers.get(name) ?? kept(layers, name, holdLayer(db, name)),
    grid: (name) => held.get(name) ?? kept(held, name, holdGrid(db, name)),
    async warm() {
      for (const name of manifest.keys()) {
        if (!isOpen) return false
        if (grids.has(name)) this.grid(name)
        else this.layer(name).warm()
        await Bun.sleep(0)
      }
      // Decoding leaves more behind than it keeps: without this the process stays twice as large for as long as it lives.
      Bun.gc(true)
      return isOpen
    },
    warmed: (name) => layers.has(name) || held.has(name),
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
