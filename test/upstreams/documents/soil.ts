import { isRecord } from '../../../src/model/record.ts'
import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { surroundings, type SimulatedShape } from '../layers/shapes.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { boxFrom, pointFrom } from './match-request.ts'

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
const unit = (mukey: string, muname: string, more: Row = {}): Row => ({
  mukey,
  musym: '115',
  muname,
  mukind: 'Consociation',
  farmlndcl: 'Not prime farmland',
  areasymbol: 'CA630',
  drclassdcd: null,
  hydgrpdcd: null,
  brockdepmin: null,
  wtdepannmin: null,
  flodfreqdcd: null,
  pondfreqprs: null,
  hydclprs: null,
  aws0150wta: null,
  niccdcd: null,
  engstafdcd: null,
  engdwbdcd: null,
  slopegraddcp: null,
  saverest: '9/8/2025 5:54:36 AM',
  ...more,
})
const units: Partial<Record<PlaceName, Row>> = {
  paradise: unit('2924879', 'Pentz sandy loam, 2 to 15 percent slopes', {
    drclassdcd: 'Well drained',
    hydgrpdcd: 'D',
    brockdepmin: '38',
    flodfreqdcd: 'None',
    pondfreqprs: '0',
    hydclprs: '0',
    aws0150wta: '5.24',
    niccdcd: '6',
    engstafdcd: 'Very limited',
    engdwbdcd: 'Somewhat limited',
    slopegraddcp: '8',
  }),
  kansas: unit('1382001', 'Crete silt loam, 1 to 3 percent slopes', {
    farmlndcl: 'All areas are prime farmland',
    drclassdcd: 'Moderately well drained',
    hydgrpdcd: 'C',
    wtdepannmin: '92',
    flodfreqdcd: 'None',
    pondfreqprs: '0',
    hydclprs: '2',
    aws0150wta: '28.9',
    niccdcd: '2',
    engstafdcd: 'Very limited',
    engdwbdcd: 'Somewhat limited',
    slopegraddcp: '2',
  }),
  boulder: unit('94751', 'Niwot soils', {
    drclassdcd: 'Somewhat poorly drained',
    hydgrpdcd: 'B/D',
    wtdepannmin: '30',
    flodfreqdcd: 'Occasional',
    pondfreqprs: '0',
    hydclprs: '10',
    aws0150wta: '11.2',
    niccdcd: '5',
    engstafdcd: 'Very limited',
    engdwbdcd: 'Very limited',
    slopegraddcp: '1',
  }),
  miami_beach: unit('1420222', 'Urban land', { mukind: 'Miscellaneous area' }),
  new_orleans: unit('665991', 'Water', { mukind: 'Miscellaneous area' }),
  manhattan: unit('2455441', 'Urban land, till substratum, 3 to 8 percent slopes'),
  san_juan: unit('2503155', 'Urban land'),
}

const layer = (hzdept_r: string, hzdepb_r: string, more: Row): Row => ({
  cokey: '1',
  compname: 'Pentz',
  comppct_r: '85',
  compkind: 'Series',
  taxorder: 'Mollisols',
  drainagecl: 'Well drained',
  hzdept_r,
  hzdepb_r,
  claytotal_r: null,
  sandtotal_r: null,
  om_r: null,
  ph1to1h2o_r: null,
  ksat_r: null,
  lep_r: null,
  awc_r: '0.15',
  kwfact: '.37',
  texdesc: null,
  resdept_r: '38',
  reskind: 'Paralithic bedrock',
  pondfreqcl: null,
  saverest: '9/8/2025 5:54:36 AM',
  ...more,
})
const soils: Record<string, Row[]> = {
  2924879: [
    layer('0', '20', {
      claytotal_r: '15',
      sandtotal_r: '60',
      om_r: '1.5',
      ph1to1h2o_r: '6',
      lep_r: '1.5',
      texdesc: 'Sandy loam',
    }),
    layer('20', '38', {
      claytotal_r: '18',
      sandtotal_r: '58',
      om_r: '0.8',
      ph1to1h2o_r: '6.3',
      lep_r: '1.5',
      texdesc: 'Sandy loam',
    }),
    layer('38', '152', { texdesc: 'Bedrock' }),
  ],
  1382001: [
    layer('0', '18', {
      compname: 'Crete',
      claytotal_r: '25',
      ph1to1h2o_r: '6.2',
      lep_r: '3',
      texdesc: 'Silt loam',
      resdept_r: null,
    }),
    layer('18', '200', {
      compname: 'Crete',
      claytotal_r: '45',
      ph1to1h2o_r: '7',
      lep_r: '8',
      texdesc: 'Silty clay',
      resdept_r: null,
    }),
  ],
  94751: [
    layer('0', '200', {
      compname: 'Niwot',
      reskind: null,
      pondfreqcl: 'Rare',
      claytotal_r: '22',
      ph1to1h2o_r: '7.5',
      lep_r: '2',
      texdesc: 'Loam',
      resdept_r: null,
    }),
  ],
  1420222: [
    layer('0', '0', {
      compname: 'Urban land',
      awc_r: null,
      kwfact: null,
      reskind: null,
      compkind: 'Miscellaneous area',
      hzdept_r: null,
      hzdepb_r: null,
      resdept_r: null,
    }),
  ],
}

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
    (column) => column !== 'unit' && !(column in unit('', '')) && !(column in layer('', '', {})),
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
