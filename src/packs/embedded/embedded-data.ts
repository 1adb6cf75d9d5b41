import { readFileSync } from 'node:fs'
import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import type { Point } from '../../model/place.ts'
import type { FeatureQuery, Properties } from '../../model/source.ts'
import type { EmbeddedLayerInfo, IndexedLayout } from './embedded-layout.ts'
import { decodeLayout } from './layout-file.ts'
import { openMemoryGrid, type MemoryGrid } from './memory-grid.ts'
import { openMemoryLayer, type MemoryLayer } from './memory-layer.ts'

/** The data compiled into the executable. Everything is decoded on first use. */
export type EmbeddedData = {
  manifest: ReadonlyMap<string, EmbeddedLayerInfo>
  layer(name: string): MemoryLayer
  /**
   * Null if the layer is ready for such a query. Otherwise resolves when it is, yielding to the event loop meanwhile.
   */
  prepare(name: string, query: Pick<FeatureQuery, 'radius_m' | 'where'>): Promise<void> | null
  grid(name: string): MemoryGrid
  /** Returns the common words of American English. A line feed stands before and after each word. */
  englishWords(): string
  /** Returns the features of a layer whose NAME, or the given column, is one of these, in any case. */
  pointsNamed(layer: string, names: readonly string[], column?: string): { at: Point; properties: Properties }[]
}

/** Time to evaluate a condition or to build an index before yielding to the event loop. */
const slice_ms = 8

/** Opens the embedded data from its file, which is mapped into memory, or from its bytes. */
export function openEmbeddedData(file: string | Uint8Array<ArrayBuffer>): EmbeddedData {
  const { manifest, layers, grids, words, indexes } = decodeLayout<IndexedLayout>(
    typeof file === 'string' ? mapFile(file) : file,
  )
  const loopTurn = createYieldToEventLoop(slice_ms)
  const openLayers = new Map<string, MemoryLayer>()
  const openGrids = new Map(Object.entries(grids).map(([name, arrays]) => [name, openMemoryGrid(arrays)]))
  return {
    manifest: new Map(manifest.map((info) => [info.layer, info])),
    layer: layerOf,
    prepare: (name, query) => layerOf(name).prepare(query),
    grid: (name) => openGrids.get(name) ?? throwUnknown(name, openGrids.keys()),
    englishWords: () => new TextDecoder().decode(words),
    pointsNamed: (name, names, column = 'NAME') => layerOf(name).pointsWithText(column, names),
  }

  function layerOf(name: string): MemoryLayer {
    const opened = openLayers.get(name)
    if (opened) return opened
    const layout = layers[name] ?? throwUnknown(name, Object.keys(layers))
    const layer = openMemoryLayer(layout, indexes[name]!, loopTurn)
    openLayers.set(name, layer)
    return layer
  }
}

/**
 * Maps a file into memory, so that processes share it. The mapping is private: a write would not reach the file. Reads
 * the file where it cannot be mapped.
 */
export function mapFile(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Bun.mmap(path, { shared: false })
  } catch {
    return new Uint8Array(readFileSync(path))
  }
}

function throwUnknown(name: string, known: Iterable<string>): never {
  throw new Error(`The embedded data has no ${name}. It has: ${[...known].join(', ') || 'nothing'}.`)
}
