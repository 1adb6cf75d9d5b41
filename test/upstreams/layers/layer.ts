import type { SimulatedShape } from './shapes.ts'

export type SimulatedCell = string | number | null
export type Column = { name: string; type: 'oid' | 'text' | 'integer' | 'double' | 'date' }
export type SimulatedRow = { shape: SimulatedShape; cells: Record<string, SimulatedCell> }

/** What a layer of the real service is known to do differently from the others. */
type Quirk =
  | 'where_required' // an error without `where` (NWI)
  | 'no_json_point' // a point is taken as text only (HUD)
  | 'no_distance' // no distance round a point (NCES, carto)
  | 'where_times_out' // conditions on attributes time out (NHDPlus HR)
  | 'geometry_times_out' // asked for geometry it answers 504 (WBD)
  | 'no_quotes' // a quote in the URL is refused with 403 (Qfaults)
  | 'answers_lower_case' // published in upper case, answered in lower case (USGS structures)

export type SimulatedLayer = {
  host: string
  /** The path of its service, up to `MapServer` or `FeatureServer`. */
  service: string
  id: number
  name: string
  kind: SimulatedShape['kind']
  columns: Column[]
  oid: string
  rows: SimulatedRow[]
  max_record_count: number
  wkid: number
  quirks: Quirk[]
}

/**
 * How a layer is written down: `columns` are names with their type (`YEAR:integer`), text without; the object id is the
 * first and is numbered here.
 */
export type LayerDefinition = {
  at: string
  name: string
  kind: SimulatedShape['kind']
  columns: string
  rows: [shape: SimulatedShape, cells: Record<string, SimulatedCell>][]
  max_record_count?: number
  quirks?: Quirk[]
}

/** A layer from its address and what it holds. */
export function layer({
  at,
  name,
  kind,
  columns: names,
  rows,
  max_record_count,
  quirks = [],
}: LayerDefinition): SimulatedLayer {
  const { host, pathname } = new URL(at)
  const path = decodeURIComponent(pathname)
  const columns = columnsOf(names)
  const oid = columns[0]?.name ?? ''
  const hosted = /^services\d*\.arcgis\.com$/.test(host)
  return {
    host,
    name,
    kind,
    columns,
    oid,
    quirks,
    service: path.slice(0, path.lastIndexOf('/')),
    id: Number(path.slice(path.lastIndexOf('/') + 1)),
    rows: rows.map(([shape, cells], index) => ({ shape, cells: cellsOf(columns, { ...cells, [oid]: index + 1 }, at) })),
    max_record_count: max_record_count ?? (hosted ? 2_000 : 1_000),
    wkid: hosted ? 102_100 : 4_326,
  }
}

function columnsOf(names: string): Column[] {
  return names
    .trim()
    .split(/\s+/)
    .map((written, index) => {
      const [name = '', type = index === 0 ? 'oid' : 'text'] = written.split(':')
      if (type !== 'oid' && type !== 'text' && type !== 'integer' && type !== 'double' && type !== 'date')
        throw new Error(`${written}: no type of a column.`)
      return { name, type }
    })
}

function cellsOf(columns: Column[], given: Record<string, SimulatedCell>, at: string): Record<string, SimulatedCell> {
  const stray = Object.keys(given).find((name) => !columns.some((column) => column.name === name))
  if (stray !== undefined) throw new Error(`${at} has no column ${stray}.`)
  return Object.fromEntries(columns.map(({ name }) => [name, given[name] ?? null]))
}
