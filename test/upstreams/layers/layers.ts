import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { layer, type SimulatedCell, type SimulatedLayer, type LayerDefinition } from './layer.ts'
import { shapeFrom, type SimulatedShape, type WrittenShape } from './shapes.ts'
import { structureLayers } from './structures.ts'

/** A layer in a file: one or more addresses, and rows of a shape and the cells after the object id. */
type StoredLayer = Omit<LayerDefinition, 'at' | 'rows'> & {
  at: string[]
  note?: string
  rows: [shape: WrittenShape | SimulatedShape, ...cells: SimulatedCell[]][]
}

const lastYear = new Date().getUTCFullYear() - 1

/**
 * All simulated ArcGIS layers, from the files beside this one: synthetic features with the geometry types and terms of
 * the real layers. Codes of states and counties are real.
 */
export const simulatedLayers: SimulatedLayer[] = [
  ...[...new Bun.Glob('*.json').scanSync(import.meta.dir)].toSorted().flatMap(layersOf),
  structureLayers,
]

/** The layers of a file, which has those of a publisher. A day stands as `2020-05-10`, the year before this one as `{last_year}`. */
function layersOf(file: string): SimulatedLayer[] {
  const text = readFileSync(join(import.meta.dir, file), 'utf8')
    .replaceAll('{last_year}', String(lastYear))
    .replaceAll('{year_before}', String(lastYear - 1))
  return (JSON.parse(text) as StoredLayer[]).flatMap(({ at, rows, ...stored }) => {
    const columns = stored.columns.split(' ').slice(1)
    const cellOf = (column: string, cell: SimulatedCell) =>
      column.endsWith(':date') && typeof cell === 'string' ? Date.parse(cell) : cell
    const drawn = rows.map(([shape, ...cells]): LayerDefinition['rows'][number] => [
      shapeFrom(shape),
      Object.fromEntries(columns.map((column, i) => [column.replace(/:.*/, ''), cellOf(column, cells[i] ?? null)])),
    ])
    return at.map((address) => layer({ ...stored, at: address, rows: drawn }))
  })
}
