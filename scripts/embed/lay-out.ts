import type { Database } from 'bun:sqlite'
import { buildCells } from './build-cells.ts'
import { createGeometryCollector } from './geometry-collector.ts'
import { buildRingRows } from '../../src/geo/polygon.ts'
import type { Properties } from '../../src/model/source.ts'
import type { EmbeddedLayerInfo, EmbeddedLayout, LayerLayout } from '../../src/packs/embedded/embedded-layout.ts'
import { layOutColumns } from './lay-out-columns.ts'
import type { GridArrays } from '../../src/packs/embedded/memory-grid.ts'
import { describeLayer, readAllRows, readFeatures } from './read-geopackage.ts'

const gridNames = new Set(['geoid'])
const wordsName = 'english_words'

/** Lays out the tables of the embedded GeoPackage. `conditions`: those of the catalog, by layer. */
export function layOutEmbedded(db: Database, conditions: ReadonlyMap<string, string[]>): EmbeddedLayout {
  const manifest = readAllRows<EmbeddedLayerInfo & { fid: number }>(db, 'embedded_manifest').map(
    ({ fid: _fid, ...info }) => info,
  )
  const names = manifest.map(({ layer }) => layer)
  const layers = names.filter((name) => !gridNames.has(name) && name !== wordsName)
  const words = readAllRows<{ word: string }>(db, wordsName).map(({ word }) => `${word}\n`)
  return {
    manifest,
    layers: Object.fromEntries(layers.map((name) => [name, layOutLayer(db, name, conditions.get(name))])),
    grids: Object.fromEntries(names.filter((name) => gridNames.has(name)).map((name) => [name, layOutGrid(db, name)])),
    words: new TextEncoder().encode(`\n${words.join('')}`),
  }
}

/** Lays out one layer of a GeoPackage. */
export function layOutLayer(db: Database, name: string, conditions: string[] = []): LayerLayout {
  const collector = createGeometryCollector()
  const rows: Properties[] = []
  const layer = describeLayer(db, name)
  for (const { geometry, properties } of readFeatures(db, layer)) {
    collector.add(geometry)
    rows.push(properties)
  }
  const shapes = collector.finish()
  return {
    features: rows.length,
    columns: layOutColumns(layer.attributes, rows),
    shapes,
    cells: shapes.polygonFeatures.length === 0 ? null : buildCells(shapes, buildRingRows(shapes)),
    conditions,
  }
}

/**
 * Lays out a table whose rows run from north to south. `cells` holds little-endian 16-bit integers in hundredths; the
 * first is at `west`.
 */
export function layOutGrid(db: Database, table: string): GridArrays {
  const rows = readAllRows<{ lat: number; west: number; step: number; cells: Uint8Array }>(db, table)
  const [top] = rows
  if (!top) throw new Error(`The grid ${table} has no rows.`)
  const width = top.cells.length / Int16Array.BYTES_PER_ELEMENT
  const bytes = new Uint8Array(Buffer.concat(rows.map(({ cells }) => cells)))
  return { north: top.lat, west: top.west, step: top.step, width, cells: new Int16Array(bytes.buffer) }
}
