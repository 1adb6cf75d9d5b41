import { isRecord } from '../../../src/model/record.ts'
import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { surroundings, type SimulatedShape } from '../layers/shapes.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { boxFrom, pointFrom } from './match-request.ts'
import unitsFile from './soil-units.json' with { type: 'json' }
import soilsFile from './soil-layers.json' with { type: 'json' }

/**
 * Soil Data Access: SQL in a POST. Every value is a text or null, the first row names the columns. The tables of
 * several statements are `Table`, `Table1` and so on; one without rows is left out, and no rows at all is `{}`.
 */
export const soilDataAccess: SimulatedService = {
  host: 'sdmdataaccess.sc.egov.usda.gov',
  answer(request) {
    if (request.method !== 'POST' || request.path !== '/Tabular/post.rest') return null
    const statements =
      queryOf(request)
        ?.split(';')
        .filter((sql) => sql.trim() !== '') ?? []
    if (statements.length === 0) return exception('Invalid query: no query or no format')
    const tables = statements.map(tableOf)
    const refused = tables.find((it) => typeof it === 'string')
    if (refused !== undefined) return exception(`Invalid query: ${refused}`)
    return jsonAnswer(
      Object.fromEntries(tables.flatMap((table, nth) => (table.length > 1 ? [[`Table${nth || ''}`, table]] : []))),
    )
  },
}

type Row = Record<string, string | null>

// Synthetic, except for the first map unit, whose values are those of a published example. Water has no
// interpretations, Anchorage no survey.
const units: Partial<Record<PlaceName, Row>> = unitsFile
const soils: Record<string, Row[]> = soilsFile

/** The polygon of each map unit is all of the surroundings of its place. */
function polygonsTouching(sql: string): Row[] {
  const corners = (/'POLYGON\(\(([^)]*)\)\)'/.exec(sql)?.[1] ?? '').split(',').map((it) => it.trim().split(' '))
  const box = boxFrom([corners[0]?.[0], corners[0]?.[1], corners[2]?.[0], corners[2]?.[1]])
  if (!box) return []
  return (Object.entries(units) as [PlaceName, Row][]).flatMap(([place, { mukey }], index) => {
    const { polygons } = surroundings(place) as Extract<SimulatedShape, { kind: 'polygon' }>
    const [ring] = polygons[0]!
    const isTouching = ring!.some(([lng, lat]) => box.holds({ lat, lng })) || testPlaceIn(box, place)
    const outline = `POLYGON ((${ring!.map((position) => position.join(' ')).join(', ')}))`
    return isTouching ? [{ mukey: mukey!, mupolygonkey: String(1_000 + index), outline }] : []
  })
}

function testPlaceIn(box: NonNullable<ReturnType<typeof boxFrom>>, place: PlaceName): boolean {
  return box.holds(testPlaces[place])
}

/**
 * The rows of a statement under a line with the columns that it names, in its order; a text says what is wrong with it.
 */
function tableOf(sql: string): (string | null)[][] | string {
  if (/FROM mupolygon WHERE/.test(sql)) {
    const polygons = polygonsTouching(sql)
    if (sql.includes('COUNT(*)')) return [['polygon_count'], [String(polygons.length)]]
    return [Object.keys(polygons[0] ?? {}), ...polygons.map((row) => Object.values(row))]
  }
  const rows = rowsOf(sql)
  if (typeof rows === 'string') return rows
  const list =
    /SELECT\s+(?:TOP\s+\d+\s+)?(.*?)\s+FROM\s+(?:SDA_Get|component\s+c\s|mapunit\s+m\s)/is.exec(sql)?.[1] ?? ''
  const columns = list.split(',').map((one) => /(\w+)\s*$/.exec(one)?.[1] ?? '')
  const unknown = columns.find(
    (column) => column !== 'unit' && !(column in unitsFile.paradise) && !(column in soilsFile[94751][0]!),
  )
  return unknown === undefined
    ? [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
    : `Invalid column name '${unknown}'.`
}

function rowsOf(sql: string): Row[] | string {
  const keys = /mukey IN \(([\d,]+)\)/.exec(sql)?.[1]?.split(',')
  if (keys) return keys.flatMap((key) => rowsOfUnit(key, sql).map((row) => ({ unit: key, ...row })))
  const key = /mukey\s*=\s*'(\d+)'/i.exec(sql)?.[1]
  const point = /SDA_Get_Mukey_from_intersection_with_WktWgs84\('POINT\((\S+) (\S+)\)'\)/i.exec(sql)
  const at = point && pointFrom(point[2], point[1])
  if (point && !at) return 'the geometry is not valid'
  const name = at && testPlaceAt(at)
  const found = name ? units[name] : undefined
  if (/FROM\s+component\s+c\s/i.test(sql))
    return key || point ? (soils[key ?? found?.mukey ?? ''] ?? []) : 'Incorrect syntax'
  return point && /JOIN\s+mapunit/i.test(sql) ? (found ? [found] : []) : 'Invalid object name'
}

function rowsOfUnit(key: string, sql: string): Row[] {
  return /FROM\s+component\s+c\s/i.test(sql)
    ? (soils[key] ?? [])
    : Object.values(units).filter(({ mukey }) => mukey === key)
}

function queryOf({ body, headers }: ReceivedRequest): string | null {
  if (!headers.get('content-type')?.startsWith('application/json')) return null
  try {
    const requested: unknown = JSON.parse(body)
    return isRecord(requested) && requested.format === 'JSON+COLUMNNAME' && typeof requested.query === 'string'
      ? requested.query
      : null
  } catch {
    return null
  }
}

function exception(message: string): ServiceAnswer {
  return {
    status: 400,
    type: 'text/xml',
    body: `<?xml version="1.0" encoding="utf-8" standalone="no"?><ServiceExceptionReport xmlns="http://www.opengis.net/ogc" version="1.2.0"><ServiceException>${message}</ServiceException></ServiceExceptionReport>`,
  }
}
