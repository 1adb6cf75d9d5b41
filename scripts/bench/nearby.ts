import type { Point } from '../../src/model/place.ts'
import { layers, madeIn, openLayer, type LayerName } from './layers.ts'
import type { Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { beside, figure, table } from './report.ts'

const points = 2_000
const inFlight = 32
const radius_m = 500
/** Our distances are promised to be within 0.1 %: what lies nearer than that to a bound, or to the other, may be on either side of it. */
const tolerance = 0.001

type Box = { west: number; south: number; east: number; north: number }
const manhattan = { west: -74.02, south: 40.69, east: -73.91, north: 40.87 }
const mainland = { west: -124, south: 25, east: -67, north: 49 }
const layersAsked: [LayerName, Box][] = [
  ['roads', manhattan],
  ['plants', mainland],
  ['places', mainland],
  ['wetlands', { west: -79, south: 38.8, east: -76.9, north: 40.9 }],
]

/** What is nearest, and how many are within 500 m: the same as PostGIS finds on the spheroid, and how many times as fast. */
export async function nearby(folder: string, postgis: Postgis, seed: number): Promise<void> {
  const rows: (string | number)[][] = []
  for (const [name, box] of layersAsked) {
    const file = await madeIn(folder, name)
    if (!(await isLoaded(postgis, name))) await postgis.load(file, name)
    await postgis.rows(`ALTER TABLE "${name}" ADD COLUMN geog geography`)
    await postgis.rows(`UPDATE "${name}" SET geog = geom::geography`)
    await postgis.rows(`CREATE INDEX ON "${name}" USING gist (geog)`)
    await postgis.rows(`VACUUM ANALYZE "${name}"`)
    const layer = openLayer(file, name)
    const random = randomOf(seed)
    const some = Array.from({ length: points }, () => ({
      lat: box.south + (box.north - box.south) * random(),
      lng: box.west + (box.east - box.west) * random(),
    }))
    const nearest = (at: Point) => layer.query({ at, radius_m: Infinity, limit: 1 })[0]!
    const count = (at: Point) => layer.query({ at, radius_m, count_only: true }).length
    const here = 'ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography'
    const theirNearest = `SELECT fid, ST_Distance(geog, ${here}) AS distance_m FROM "${name}" ORDER BY geog <-> ${here} LIMIT 1`
    // By `<->` PostGIS orders geography on the sphere: of the nearest there the one that is nearest on the spheroid.
    const truly = `SELECT fid, distance_m FROM (SELECT fid, ST_Distance(geog, ${here}) AS distance_m FROM "${name}" ORDER BY geog <-> ${here} LIMIT 25) AS near ORDER BY distance_m, fid LIMIT 1`
    const theirCount = `SELECT count(*)::int AS count FROM "${name}" WHERE ST_DWithin(geog, ${here}, ${radius_m})`

    const [first_us, ours_us] = [own(some, nearest), own(some, nearest)]
    const [, theirs_us] = await request(postgis, theirNearest, some)
    const [found] = await request<{ fid: number; distance_m: number }>(postgis, truly, some)
    let [same, tied] = [0, 0]
    for (const [i, at] of some.entries()) {
      const mine = nearest(at)
      const { fid, distance_m } = found[i]!
      if (mine.properties.id === fid) same++
      else if (Math.abs(mine.distance_m - distance_m) <= tolerance * distance_m + 0.001) tied++
    }
    rows.push([
      layers[name],
      'nearest',
      layer.rows,
      first_us.toFixed(0),
      ours_us.toFixed(1),
      theirs_us.toFixed(0),
      (theirs_us / ours_us).toFixed(1),
    ])
    beside({
      what: `${layers[name]}: nearest`,
      ours: `${ours_us.toFixed(1)} µs`,
      peer: `PostGIS ${theirs_us.toFixed(0)} µs`,
      ratio: theirs_us / ours_us,
      promised: 3,
    })
    figure(
      `${name}: nearest has the same id`,
      `${same} of ${points}, and ${tied} more where two are equally far within 0.1 %`,
      same + tied === points,
      'all',
    )

    const [firstCount_us, count_us] = [own(some, count), own(some, count)]
    const [counts, theirCount_us] = await request<{ count: number }>(postgis, theirCount, some)
    const other = some.flatMap((at, i) => (count(at) === counts[i]!.count ? [] : [i]))
    const unexplained = await Promise.all(
      other.map(async (i) => {
        const near = await postgis.rows<{ count: number }>(
          `SELECT count(*)::int AS count FROM "${name}" WHERE abs(ST_Distance(geog, ${here}) - ${radius_m}) <= ${radius_m * tolerance}`,
          [some[i]!.lng, some[i]!.lat],
        )
        return Math.abs(count(some[i]!) - counts[i]!.count) > near[0]!.count ? 1 : 0
      }),
    )
    const unlike = unexplained.filter((it) => it === 1).length
    rows.push([
      layers[name],
      `count within ${radius_m} m`,
      layer.rows,
      firstCount_us.toFixed(0),
      count_us.toFixed(1),
      theirCount_us.toFixed(0),
      (theirCount_us / count_us).toFixed(1),
    ])
    beside({
      what: `${layers[name]}: count within ${radius_m} m`,
      ours: `${count_us.toFixed(1)} µs`,
      peer: `PostGIS ${theirCount_us.toFixed(0)} µs`,
      ratio: theirCount_us / count_us,
      promised: 3,
    })
    figure(
      `${name}: count is the same`,
      `${points - other.length} of ${points}, ${other.length - unlike} more but for what lies at ${radius_m} m within 0.1 %`,
      unlike === 0,
      'all',
    )
    layer.close()
  }
  table(
    'What is near: µs a query (first: nothing kept yet), PostGIS with geography, prepared over a local socket',
    ['layer', 'question', 'features', 'first', 'again', 'PostGIS', 'ratio'],
    rows,
  )
}

async function isLoaded(postgis: Postgis, name: LayerName): Promise<boolean> {
  return (await postgis.rows(`SELECT 1 FROM pg_class WHERE relname = '${name}'`)).length > 0
}

function own(points: Point[], ask: (at: Point) => unknown): number {
  const begin = performance.now()
  for (const at of points) ask(at)
  return (1000 * (performance.now() - begin)) / points.length
}

async function request<Row>(postgis: Postgis, sql: string, points: Point[]): Promise<[Row[], us: number]> {
  const put = async () => {
    const rows: Row[] = []
    for (let first = 0; first < points.length; first += inFlight) {
      const some = await Promise.all(
        points.slice(first, first + inFlight).map(({ lat, lng }) => postgis.rows<Row>(sql, [lng, lat])),
      )
      rows.push(...some.map(([row]) => row!))
    }
    return rows
  }
  await put()
  const begin = performance.now()
  const rows = await put()
  return [rows, (1000 * (performance.now() - begin)) / points.length]
}
