import { isClockwise, projectPosition } from './arcgis-geometry.ts'
import type { SimulatedCell, Column, SimulatedLayer, SimulatedRow } from './layers/layer.ts'
import type { ShapePosition, SimulatedShape } from './layers/shapes.ts'

/** The output format of features. */
type Manner = {
  columns: Column[]
  geometry: boolean
  wkid: number
  precision: number | null
  form: 'json' | 'geojson'
  exceeded: boolean
}

/** Returns the features of a page as Esri JSON, or as GeoJSON, which is always in degrees. */
export function formatFeatures(layer: SimulatedLayer, rows: SimulatedRow[], manner: Manner): unknown {
  const { wkid, form } = manner
  const put = putter(form === 'geojson' ? 4326 : wkid, manner.precision)
  return form === 'geojson' ? geojson(layer, rows, manner, put) : esri(layer, rows, manner, put)
}

const esriTypes = {
  oid: 'esriFieldTypeOID',
  text: 'esriFieldTypeString',
  integer: 'esriFieldTypeInteger',
  double: 'esriFieldTypeDouble',
  date: 'esriFieldTypeDate',
} as const
const esriKinds = { point: 'esriGeometryPoint', line: 'esriGeometryPolyline', polygon: 'esriGeometryPolygon' } as const

/** Returns the columns of a layer as ArcGIS describes them. */
export function fieldsOf(columns: Column[], nameOf = ({ name }: Column) => name): unknown[] {
  return columns.map((column) => ({
    name: nameOf(column),
    type: esriTypes[column.type],
    alias: nameOf(column),
    ...(column.type === 'text' ? { length: 254 } : {}),
  }))
}

/** Returns the ArcGIS geometry type of a layer. */
export function geometryTypeOf(layer: SimulatedLayer): string {
  return esriKinds[layer.kind]
}

function esri(
  layer: SimulatedLayer,
  rows: SimulatedRow[],
  { columns, geometry, wkid, exceeded }: Manner,
  put: Put,
): unknown {
  const name = namer(layer)
  const hosted = layer.service.endsWith('FeatureServer')
  return {
    ...(hosted
      ? { objectIdFieldName: layer.oid, globalIdFieldName: '' }
      : {
          displayFieldName: '',
          fieldAliases: Object.fromEntries(columns.map((column) => [name(column), name(column)])),
        }),
    geometryType: esriKinds[layer.kind],
    spatialReference: wkid === 102_100 ? { wkid, latestWkid: 3857 } : { wkid, latestWkid: wkid },
    fields: fieldsOf(columns, name),
    features: rows.map((row) => ({
      attributes: cellsOf(row, columns, name),
      ...(geometry ? { geometry: esriGeometry(row.shape, put) } : {}),
    })),
    ...(exceeded ? { exceededTransferLimit: true } : {}),
  }
}

/** Hosted layers flag a truncated list under `properties`, map services at the top level. Both were observed. */
function geojson(
  layer: SimulatedLayer,
  rows: SimulatedRow[],
  { columns, geometry, exceeded }: Manner,
  put: Put,
): unknown {
  const name = namer(layer)
  const mark = layer.service.endsWith('FeatureServer')
    ? { properties: { exceededTransferLimit: true } }
    : { exceededTransferLimit: true }
  return {
    type: 'FeatureCollection',
    ...(exceeded ? mark : {}),
    features: rows.map((row) => ({
      type: 'Feature',
      id: row.cells[layer.oid],
      geometry: geometry ? geojsonGeometry(row.shape, put) : null,
      properties: cellsOf(row, columns, name),
    })),
  }
}

function namer({ quirks }: SimulatedLayer) {
  return ({ name }: Column) => (quirks.includes('answers_lower_case') ? name.toLowerCase() : name)
}

function cellsOf(
  { cells }: SimulatedRow,
  columns: Column[],
  name: (column: Column) => string,
): Record<string, SimulatedCell> {
  return Object.fromEntries(columns.map((column) => [name(column), cells[column.name] ?? null]))
}

type Put = (position: ShapePosition) => ShapePosition

function putter(wkid: number, precision: number | null): Put {
  return (position) => {
    const put = projectPosition(position, wkid) ?? position
    return precision === null ? put : [Number(put[0].toFixed(precision)), Number(put[1].toFixed(precision))]
  }
}

/** Esri has one list of rings: borders are clockwise, holes counterclockwise. */
function esriGeometry(shape: SimulatedShape, put: Put): unknown {
  if (shape.kind === 'point') {
    const [x, y] = put(shape.at)
    return { x, y }
  }
  if (shape.kind === 'line') return { paths: shape.paths.map((path) => path.map(put)) }
  return { rings: shape.polygons.flatMap((rings) => rings.map((ring, index) => turned(ring, index === 0).map(put))) }
}

function geojsonGeometry(shape: SimulatedShape, put: Put): unknown {
  if (shape.kind === 'point') return { type: 'Point', coordinates: put(shape.at) }
  if (shape.kind === 'line')
    return single(
      'LineString',
      shape.paths.map((path) => path.map(put)),
    )
  return single(
    'Polygon',
    shape.polygons.map((rings) => rings.map((ring, index) => turned(ring, index > 0).map(put))),
  )
}

function single(type: string, parts: unknown[]): unknown {
  return parts.length === 1 ? { type, coordinates: parts[0] } : { type: `Multi${type}`, coordinates: parts }
}

function turned(ring: ShapePosition[], clockwise: boolean): ShapePosition[] {
  return isClockwise(ring) === clockwise ? ring : ring.toReversed()
}
