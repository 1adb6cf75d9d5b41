import type { Point } from '../../src/model/place.ts'
import { benchLayers, writeBenchLayer, openLayer, type LayerName } from './layers.ts'
import type { Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { reportWithPeer, reportFigure, printTable } from './report.ts'

const pointCount = 2_000
const inFlight = 32
const radius_m = 500
/** Our distances are exact to 0.1 %. Features closer than that to a bound, or to each other, may compare either way. */
const tolerance = 0.001

type Box = { west: number; south: number; east: number; north: number }
const manhattan = { west: -74.02, south: 40.69, east: -73.91, north: 40.87 }
const mainland = { west: -124, south: 25, east: -67, north: 49 }
const comparedLayers: [LayerName, Box][] = [
  ['roads', manhattan],
  ['plants', mainland],
  ['places', mainland],
  ['wetlands', { west: -79, south: 38.8, east: -76.9, north: 40.9 }],
]
const here = 'ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography'

type Comparison = { postgis: Postgis; name: LayerName; layer: ReturnType<typeof openLayer>; points: Point[] }
type Row = (string | number)[]

/** Compares nearest features and counts within 500 m with PostGIS on the spheroid: same results, and speed ratio. */
export async function benchNearest(folder: string, postgis: Postgis, seed: number): Promise<void> {
  const rows: Row[] = []
  for (const [name, box] of comparedLayers) {
    const file = await writeBenchLayer(folder, name)
    await loadGeography(postgis, file, name)
    const layer = openLayer(file, name)
    const random = randomOf(seed)
    const points = Array.from({ length: pointCount }, () => ({
      lat: box.south + (box.north - box.south) * random(),
      lng: box.west + (box.east - box.west) * random(),
    }))
    rows.push(await compareNearest({ postgis, name, layer, points }))
    rows.push(await compareCounts({ postgis, name, layer, points }))
    layer.close()
  }
  printTable(
    'Nearest features and counts: µs a query (first: nothing cached yet); PostGIS with geography, prepared over a local socket',
    ['layer', 'query', 'features', 'first', 'again', 'PostGIS', 'ratio'],
    rows,
  )
}

async function loadGeography(postgis: Postgis, file: string, name: LayerName): Promise<void> {
  if (!(await isLoaded(postgis, name))) await postgis.load(file, name)
  await postgis.rows(`ALTER TABLE "${name}" ADD COLUMN geog geography`)
  await postgis.rows(`UPDATE "${name}" SET geog = geom::geography`)
  await postgis.rows(`CREATE INDEX ON "${name}" USING gist (geog)`)
  await postgis.rows(`VACUUM ANALYZE "${name}"`)
}

async function isLoaded(postgis: Postgis, name: LayerName): Promise<boolean> {
  return (await postgis.rows(`SELECT 1 FROM pg_class WHERE relname = '${name}'`)).length > 0
}

async function compareNearest({ postgis, name, layer, points }: Comparison): Promise<Row> {
  const nearest = (at: Point) => layer.query({ at, radius_m: Infinity, limit: 1 })[0]!
  const theirNearest = `SELECT fid, ST_Distance(geog, ${here}) AS distance_m FROM "${name}" ORDER BY geog <-> ${here} LIMIT 1`
  // PostGIS orders geography by `<->` on the sphere. This takes the 25 nearest and picks the nearest on the spheroid.
  const exactNearest = `SELECT fid, distance_m FROM (SELECT fid, ST_Distance(geog, ${here}) AS distance_m FROM "${name}" ORDER BY geog <-> ${here} LIMIT 25) AS near ORDER BY distance_m, fid LIMIT 1`

  const [first_us, ours_us] = [ownTime_us(points, nearest), ownTime_us(points, nearest)]
  const [, theirs_us] = await request(postgis, theirNearest, points)
  const [found] = await request<{ fid: number; distance_m: number }>(postgis, exactNearest, points)
  let [same, tied] = [0, 0]
  for (const [i, at] of points.entries()) {
    const ours = nearest(at)
    const { fid, distance_m } = found[i]!
    if (ours.properties.id === fid) same++
    else if (Math.abs(ours.distance_m - distance_m) <= tolerance * distance_m + 0.001) tied++
  }
  reportRatio(`${benchLayers[name]}: nearest`, ours_us, theirs_us)
  reportFigure(
    `${name}: nearest has the same id`,
    `${same} of ${points.length}, and ${tied} more at the same distance within 0.1 %`,
    same + tied === points.length,
    'all',
  )
  return rowOf(benchLayers[name], 'nearest', layer.rows, [first_us, ours_us, theirs_us])
}

async function compareCounts({ postgis, name, layer, points }: Comparison): Promise<Row> {
  const count = (at: Point) => layer.query({ at, radius_m, count_only: true }).length
  const theirCount = `SELECT count(*)::int AS count FROM "${name}" WHERE ST_DWithin(geog, ${here}, ${radius_m})`

  const [first_us, ours_us] = [ownTime_us(points, count), ownTime_us(points, count)]
  const [counts, theirs_us] = await request<{ count: number }>(postgis, theirCount, points)
  const different = points.flatMap((at, i) => (count(at) === counts[i]!.count ? [] : [i]))
  const explained = await Promise.all(
    different.map(async (i) => {
      const near = await postgis.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM "${name}" WHERE abs(ST_Distance(geog, ${here}) - ${radius_m}) <= ${radius_m * tolerance}`,
        [points[i]!.lng, points[i]!.lat],
      )
      return Math.abs(count(points[i]!) - counts[i]!.count) <= near[0]!.count
    }),
  )
  const unexplained = explained.filter((isExplained) => !isExplained).length
  reportRatio(`${benchLayers[name]}: count within ${radius_m} m`, ours_us, theirs_us)
  reportFigure(
    `${name}: count is the same`,
    `${points.length - different.length} of ${points.length}, and ${different.length - unexplained} more except for features at ${radius_m} m within 0.1 %`,
    unexplained === 0,
    'all',
  )
  return rowOf(benchLayers[name], `count within ${radius_m} m`, layer.rows, [first_us, ours_us, theirs_us])
}

function reportRatio(what: string, ours_us: number, theirs_us: number): void {
  reportWithPeer({
    what,
    ours: `${ours_us.toFixed(1)} µs`,
    peer: `PostGIS ${theirs_us.toFixed(0)} µs`,
    ratio: theirs_us / ours_us,
    promised: 3,
  })
}

function rowOf(layer: string, query: string, features: number, times_us: [number, number, number]): Row {
  const [first_us, ours_us, theirs_us] = times_us
  return [
    layer,
    query,
    features,
    first_us.toFixed(0),
    ours_us.toFixed(1),
    theirs_us.toFixed(0),
    (theirs_us / ours_us).toFixed(1),
  ]
}

function ownTime_us(points: Point[], query: (at: Point) => unknown): number {
  const begin = performance.now()
  for (const at of points) query(at)
  return (1000 * (performance.now() - begin)) / points.length
}

/**
 * Runs the query for all points twice. Returns the first row of each answer, and the time of the second run in µs a
 * query.
 */
async function request<R>(postgis: Postgis, sql: string, points: Point[]): Promise<[R[], us: number]> {
  const runAll = async () => {
    const rows: R[] = []
    for (let first = 0; first < points.length; first += inFlight) {
      const answers = await Promise.all(
        points.slice(first, first + inFlight).map(({ lat, lng }) => postgis.rows<R>(sql, [lng, lat])),
      )
      rows.push(...answers.map(([row]) => row!))
    }
    return rows
  }
  await runAll()
  const begin = performance.now()
  const rows = await runAll()
  return [rows, (1000 * (performance.now() - begin)) / points.length]
}
