import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { writeGeometry, type GeometryPart } from '../../../src/geo/text/wkb-write.ts'
import type { SimulatedCell, SimulatedLayer, SimulatedRow } from '../layers/layer.ts'
import { simulatedLayers } from '../layers/layers.ts'
import type { ShapePosition, SimulatedShape } from '../layers/shapes.ts'
import { answerRange, cacheFiles } from '../rasters/files.ts'
import type { SimulatedService } from '../service.ts'
import { nad83, shapefileOf, type DrawnShape } from './shapefile.ts'

// The files of Colorado and Wyoming have the features of the simulated services. Names of files, layers and columns,
// formats and coordinate systems are those of the publishers.

type Box = { w: number; s: number; e: number; n: number }
const states: Record<string, { name: string; box: Box }> = {
  '08': { name: 'Colorado', box: { w: -109.06, s: 36.99, e: -102.04, n: 41 } },
  '56': { name: 'Wyoming', box: { w: -111.06, s: 41, e: -104.05, n: 45.01 } },
}

/** The files of a host by path. `make` returns null for a file that the publisher does not have. */
function filesByPath(host: string, make: (path: string) => Uint8Array | null): SimulatedService {
  const file = cacheFiles(make)
  return {
    host,
    answer(request) {
      const found = request.method === 'GET' ? file(request.path) : null
      return found && { ...answerRange(request, found)!, type: 'application/zip' }
    },
  }
}

/** Census: the roads of a county, and the primary and secondary roads of a state, which end at its border. */
export const roadFiles = filesByPath('www2.census.gov', (path) => {
  const file = /^\/geo\/tiger\/TIGER2025\/(?:ROADS|PRISECROADS)\/(tl_2025_(\d{2})(\d{3})?_(?:prisec)?roads)\.zip$/.exec(
    path,
  )
  const state = states[file?.[2] ?? '']
  if (!state) return null
  // All roads of the simulated service in Colorado are those of Boulder County.
  const isDrawn = file![3] === undefined || file![3] === '013'
  const layers = roadLayers.filter(({ name }) => file![3] !== undefined || name !== 'Local Roads')
  const rows = isDrawn
    ? layers.flatMap((layer) => layer.rows.filter(({ shape }) => isCenteredIn(shape, state.box)))
    : []
  const { w, s } = state.box
  const corner: DrawnShape = {
    kind: 'line',
    points: [
      [w + 1, s + 1],
      [w + 1.01, s + 1],
    ],
    row: roadRow({ OID: '1', NAME: 'Corner Rd', MTFCC: 'S1200' }),
  }
  return zipSync(shapefileOf(file![1]!, [corner, ...rows.flatMap(drawnRoads)], nad83))
})

const roadLayers = simulatedLayers.filter(({ name }) =>
  ['Primary Roads', 'Secondary Roads', 'Local Roads'].includes(name),
)

function drawnRoads({ shape, cells }: SimulatedRow): DrawnShape[] {
  return shape.kind === 'line' ? shape.paths.map((points) => ({ kind: 'line', points, row: roadRow(cells) })) : []
}

function roadRow({ OID, NAME, MTFCC }: Record<string, SimulatedCell>) {
  return { LINEARID: String(OID), FULLNAME: String(NAME ?? ''), RTTYP: 'M', MTFCC: String(MTFCC) }
}

/** USGS: a GeoPackage for each state. It has all features that touch the state, also those of its neighbors. */
export const hydrographyFiles = filesByPath('prd-tnm.s3.amazonaws.com', (path) => {
  const name = /^\/StagedProducts\/Hydrography\/NHD\/State\/GPKG\/NHD_H_(\w+)_State_GPKG\.zip$/.exec(path)?.[1]
  const state = Object.values(states).find((it) => it.name === name)
  if (!state) return null
  const layers = hydrographyLayers.map(([id, layer]) => {
    const { columns, rows } = simulatedLayers.find(
      ({ service, id: at }) => service.endsWith('/nhd/MapServer') && at === id,
    )!
    return { layer, columns, rows: rows.filter(({ shape }) => touches(shape, state.box)) }
  })
  return zipSync({ [`NHD_H_${state.name}_State_GPKG.gpkg`]: geopackageOf(layers) })
})

const hydrographyLayers = [
  [6, 'NHDFlowline'],
  [9, 'NHDArea'],
  [12, 'NHDWaterbody'],
] as const

/**
 * Fish and Wildlife Service: a file geodatabase for each state. That of Colorado has the rows of the simulated service,
 * written by `ogr2ogr -f OpenFileGDB`; the other states have none here.
 */
export const wetlandFiles = filesByPath('documentst.ecosphere.fws.gov', (path) =>
  path === '/wetlands/data/State-Downloads/CO_geodatabase_wetlands.zip'
    ? readFileSync(join(import.meta.dir, '..', '..', 'fixtures', 'CO_geodatabase_wetlands.zip'))
    : null,
)

function positionsOf(shape: SimulatedShape): ShapePosition[] {
  if (shape.kind === 'point') return [shape.at]
  return shape.kind === 'line' ? shape.paths.flat() : shape.polygons.flat(2)
}

function boxOf(shape: SimulatedShape): Box {
  const positions = positionsOf(shape)
  const [xs, ys] = [positions.map(([x]) => x), positions.map(([, y]) => y)]
  return { w: Math.min(...xs), s: Math.min(...ys), e: Math.max(...xs), n: Math.max(...ys) }
}

function touches(shape: SimulatedShape, { w, s, e, n }: Box): boolean {
  const box = boxOf(shape)
  return box.w <= e && box.e >= w && box.s <= n && box.n >= s
}

function isCenteredIn(shape: SimulatedShape, { w, s, e, n }: Box): boolean {
  const box = boxOf(shape)
  const [x, y] = [(box.w + box.e) / 2, (box.s + box.n) / 2]
  return x >= w && x < e && y >= s && y < n
}

/** The bytes of a GeoPackage in NAD83. The numbers of rows differ between files. */
function geopackageOf(
  layers: { layer: string; columns: SimulatedLayer['columns']; rows: SimulatedRow[] }[],
): Uint8Array {
  const db = new Database(':memory:')
  db.run('PRAGMA application_id = 1196444487')
  db.run('PRAGMA user_version = 10200')
  db.run(
    'CREATE TABLE gpkg_spatial_ref_sys (srs_name, srs_id INTEGER PRIMARY KEY, organization, organization_coordsys_id, definition)',
  )
  db.run('INSERT INTO gpkg_spatial_ref_sys VALUES (?, 4269, ?, 4269, ?)', ['NAD83', 'EPSG', nad83.prj])
  db.run('CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type, last_change, srs_id)')
  db.run('CREATE TABLE gpkg_geometry_columns (table_name, column_name, geometry_type_name, srs_id, z, m)')
  for (const { layer, columns, rows } of layers) {
    const names = columns.slice(1).map(({ name }) => name.toLowerCase())
    db.run('INSERT INTO gpkg_contents VALUES (?, ?, ?, 4269)', [layer, 'features', '2023-12-27T00:00:00.000Z'])
    db.run('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, 4269, 0, 0)', [layer, 'shape', 'GEOMETRY'])
    db.run(`CREATE TABLE ${layer} (objectid INTEGER PRIMARY KEY, shape BLOB, ${names.join(', ')})`)
    const insert = db.prepare(`INSERT INTO ${layer} VALUES (?, ?${', ?'.repeat(names.length)})`)
    for (const [i, { shape, cells }] of rows.entries())
      insert.run(
        rows.length + i,
        writeGeometry(partsOf(shape)).blob,
        ...columns.slice(1).map(({ name }) => cells[name] ?? null),
      )
  }
  return db.serialize()
}

function partsOf(shape: SimulatedShape): GeometryPart[] {
  if (shape.kind === 'point') return [{ kind: 'point', paths: [shape.at] }]
  if (shape.kind === 'line') return shape.paths.map((path) => ({ kind: 'line', paths: [path.flat()] }))
  return shape.polygons.map((rings) => ({ kind: 'polygon', paths: rings.map((ring) => ring.flat()) }))
}
