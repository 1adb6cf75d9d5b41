import type { Point } from '../../src/model/place.ts'
import type { PackLayer } from '../../src/packs/layer/pack-layer.ts'
import { buildBenchPack } from './build-pack.ts'
import { cpu_s } from './child.ts'
import { benchLayers, writeBenchLayer, openLayer, type LayerName } from './layers.ts'
import type { Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { quantile, reportFigure, printTable } from './report.ts'

const compared = 100_000
const onBorders = 2_000
const timed = 20_000
const inFlight = 32

/** Compares point-in-polygon queries with PostGIS: same results, and speed ratio. */
export async function benchPolygons(folder: string, postgis: Postgis, seed: number): Promise<void> {
  const rows: (string | number)[][] = []
  for (const name of ['counties', 'counties_full', 'fields', 'wetlands'] as const) {
    const file = await writeBenchLayer(folder, name)
    await postgis.load(file, name)
    const pack = await buildBenchPack(file, name)
    const layer = openLayer(pack, name)
    const box = await boxOf(postgis, name)
    const random = randomOf(seed)
    const points = Array.from({ length: compared }, () => ({
      lat: box.south + (box.north - box.south) * random(),
      lng: box.west + (box.east - box.west) * random(),
    }))
    const borders = await borderOf(postgis, name)
    const wrong = await differing(postgis, name, [...points, ...borders], (at) => idsAt(layer, at))
    reportFigure(
      `${name}: answers that differ from PostGIS at ${compared} random points and ${borders.length} on borders`,
      String(wrong.length),
      wrong.length === 0,
      'none',
    )
    for (const line of wrong.slice(0, 5)) console.log(`    ${line}`)
    layer.close()
    rows.push([benchLayers[name], layer.rows, ...(await timesOf(postgis, pack, name, points))])
  }
  printTable(
    'Point in polygon: µs a query. Ours: in this process, from a built pack, at new points. PostGIS: prepared over a local socket, 32 queries in flight',
    [
      'layer',
      'rows',
      'p50',
      'p99',
      'mean',
      'cpu',
      'again',
      'cpu',
      'PostGIS',
      'cpu',
      'PostGIS, subdivided',
      'cpu',
      'ratio of means',
      'to subdivided',
    ],
    rows,
  )
}

/** Times a layer, PostGIS, and PostGIS with subdivided polygons. Returns the columns of the table from p50 on. */
async function timesOf(postgis: Postgis, pack: string, name: LayerName, points: Point[]): Promise<string[]> {
  const timedPoints = points.slice(0, timed)
  const layer = openLayer(pack, name)
  // PostGIS is warm by now, with cached data of other points. This warms our code in the same way.
  for (const at of points.slice(-warming)) layer.query({ at, radius_m: 0 })
  const ours = ownTimes(layer, timedPoints)
  const again = ownTimes(layer, timedPoints)
  layer.close()
  const whole = await theirs(
    postgis,
    `SELECT fid FROM "${name}" WHERE ST_Covers(geom, ST_SetSRID(ST_MakePoint($1, $2), 4326))`,
    timedPoints,
  )
  await postgis.rows(
    `CREATE TABLE "${name}_cut" AS SELECT fid, ST_Subdivide(ST_MakeValid(geom), 128) AS geom FROM "${name}"`,
  )
  await postgis.rows(`CREATE INDEX ON "${name}_cut" USING gist (geom)`)
  await postgis.rows(`VACUUM ANALYZE "${name}_cut"`)
  const subdivided = await theirs(
    postgis,
    `SELECT DISTINCT fid FROM "${name}_cut" WHERE ST_Covers(geom, ST_SetSRID(ST_MakePoint($1, $2), 4326))`,
    timedPoints,
  )
  reportFigure(
    `${name}: point in polygon, times as fast as PostGIS`,
    `${(whole.mean_us / ours.mean_us).toFixed(1)} (by processor time of the server alone: ${(whole.cpu_us / ours.cpu_us).toFixed(1)})`,
    whole.mean_us >= 5 * ours.mean_us,
    '5',
  )
  return [
    ours.p50_us.toFixed(1),
    ours.p99_us.toFixed(1),
    ...[ours, again, whole, subdivided].flatMap(({ mean_us, cpu_us }) => [mean_us.toFixed(1), cpu_us.toFixed(1)]),
    (whole.mean_us / ours.mean_us).toFixed(1),
    (subdivided.mean_us / ours.mean_us).toFixed(1),
  ]
}

/** Times each point separately. */
function ownTimes(layer: PackLayer, points: Point[]): Times & { p50_us: number; p99_us: number } {
  const before_s = cpu_s(process.pid)
  const each = points.map((at) => {
    const begin = performance.now()
    layer.query({ at, radius_m: 0 })
    return 1000 * (performance.now() - begin)
  })
  const spent_s = cpu_s(process.pid) - before_s
  return {
    p50_us: quantile(each, 0.5),
    p99_us: quantile(each, 0.99),
    mean_us: each.reduce((sum, us) => sum + us, 0) / each.length,
    cpu_us: (1e6 * spent_s) / points.length,
  }
}

function idsAt(layer: PackLayer, at: Point): number[] {
  return layer
    .query({ at, radius_m: 0 })
    .map(({ properties }) => Number(properties.id))
    .toSorted((a, b) => a - b)
}

/**
 * Keeps enough queries in flight that the server is never idle. The processor time is that of the server without the
 * client.
 */
async function theirs(postgis: Postgis, sql: string, points: Point[]): Promise<Times> {
  const [backend] = await postgis.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const ask = async (some: Point[]) => {
    for (let first = 0; first < some.length; first += inFlight)
      await Promise.all(some.slice(first, first + inFlight).map(({ lat, lng }) => postgis.rows(sql, [lng, lat])))
  }
  await ask(points.slice(0, warming))
  const some = points.slice(0, theirTimed)
  const [begin, before_s] = [performance.now(), cpu_s(backend!.pid)]
  await ask(some)
  return {
    mean_us: (1000 * (performance.now() - begin)) / some.length,
    cpu_us: (1e6 * (cpu_s(backend!.pid) - before_s)) / some.length,
  }
}

async function boxOf(postgis: Postgis, name: LayerName): Promise<Box> {
  const [box] = await postgis.rows<Box>(
    `SELECT ST_XMin(e) AS west, ST_YMin(e) AS south, ST_XMax(e) AS east, ST_YMax(e) AS north FROM (SELECT ST_Extent(geom) AS e FROM "${name}") AS it`,
  )
  // A few islands stretch the box of the counties around the world.
  return {
    ...box!,
    west: Math.max(box!.west, -125),
    east: Math.min(box!.east, -66),
    south: Math.max(box!.south, 24),
    north: Math.min(box!.north, 50),
  }
}

/** Returns random vertices of the polygons. */
async function borderOf(postgis: Postgis, name: LayerName): Promise<Point[]> {
  return await postgis.rows<Point>(`
    SELECT ST_X(p) AS lng, ST_Y(p) AS lat FROM (SELECT (ST_DumpPoints(geom)).geom AS p FROM (SELECT geom FROM "${name}" ORDER BY md5(fid::text) LIMIT ${onBorders}) AS chosen) AS vertices
    ORDER BY md5(ST_AsText(p)) LIMIT ${onBorders}`)
}

/**
 * Returns the points with different results. On a border PostGIS returns every polygon that touches the point. Ours are
 * right if they are some of these, and include every polygon that strictly contains the point.
 */
async function differing(
  postgis: Postgis,
  name: LayerName,
  points: Point[],
  ids: (at: Point) => number[],
): Promise<string[]> {
  const wrong: string[] = []
  for (let first = 0; first < points.length; first += perQuestion) {
    const some = points.slice(first, first + perQuestion)
    const rows = await postgis.rows<{ i: number; covers: number[] | null; holds: number[] | null }>(
      `
      SELECT i::int AS i, array_agg(fid ORDER BY fid) AS covers, array_agg(fid ORDER BY fid) FILTER (WHERE ST_Contains(geom, p)) AS holds
      FROM unnest($1::float8[], $2::float8[]) WITH ORDINALITY AS at(x, y, i), LATERAL ST_SetSRID(ST_MakePoint(x, y), 4326) AS p JOIN "${name}" ON ST_Covers(geom, p) GROUP BY i`,
      [arrayOf(some.map(({ lng }) => lng)), arrayOf(some.map(({ lat }) => lat))],
    )
    const known = new Map(rows.map((row) => [row.i - 1, row]))
    for (const [i, at] of some.entries()) {
      const found = ids(at)
      const covers = [...(known.get(i)?.covers ?? [])]
      const holds = [...(known.get(i)?.holds ?? [])]
      if (!found.every((id) => covers.includes(id)) || !holds.every((id) => found.includes(id)))
        wrong.push(`${at.lat}, ${at.lng}: ${found.join(' ') || 'none'} for ${covers.join(' ') || 'none'}`)
    }
  }
  return wrong
}

/** µs a query: elapsed time, and processor time. */
type Times = { mean_us: number; cpu_us: number }
type Box = { west: number; south: number; east: number; north: number }

const perQuestion = 5_000
const warming = 2_000
const theirTimed = 10_000

function arrayOf(numbers: number[]): string {
  return `{${numbers.join(',')}}`
}
