import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { hilbertIndexOf } from '../../src/build-packs/layer/hilbert.ts'
import { writePack } from '../../test/packs/write-pack.ts'
import type { GrowthAxis } from './growth-axis.ts'
import { openLayer } from './layers.ts'
import { openPostgis, type Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { reportFigure, quantile, printTable } from './report.ts'

const sizes = [1_000, 10_000, 100_000, 1_000_000]
/** Takes minutes to write, so only `--long` measures it. */
const longSize = 10_000_000
const corners = 60
/** The polygons of the largest pack have fewer corners, so that its file stays below 4 GB. */
const longCorners = 12
/** Loading more takes minutes. */
const postgisMax = 100_000
const rowsPerInsert = 2_000
/** The polygons are written without a box. */
const gpkgHeader_bytes = 8
const points = 4_000
const rounds = 5
const bytesOfGiga = 1e9

/**
 * Measures queries as a pack grows, and the opening of a pack of over 1 GB. The polygons are synthetic. Returns the
 * processor time of a point query that finds nothing in the cache, by the number of polygons.
 */
export async function benchFeatures(seed: number, { isLong }: { isLong: boolean }): Promise<GrowthAxis> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-growth-'))
  try {
    const paths = sizes.map((size) => writePolygons(join(folder, `${size}.gpkg`), { size, corners, seed }))
    await opened(paths.at(-1)!)
    // The sizes alternate, so that other load on the machine affects all of them equally.
    const turns = Array.from({ length: rounds }, () =>
      paths.map((path) => [request(path, seed), request(path, seed, 0)] as const),
    )
    const middle = (of: (turn: (typeof turns)[number]) => number) => quantile(turns.map(of), 0.5)
    const rows = paths.map((path, i) => [
      sizes[i]!,
      (statSync(path).size / 1e6).toFixed(0),
      ...([0, 1] as const).flatMap((cache) =>
        (['inside_us', 'nearest_us'] as const).map((what) => middle((turn) => turn[i]![cache][what]).toFixed(1)),
      ),
    ])
    printTable(
      `A pack of synthetic polygons with ${corners} corners: µs of processor time a query at random points, with the cache of the service and without`,
      ['polygons', 'MB', 'point in polygon', 'nearest', 'without a cache', 'nearest'],
      rows,
    )
    const [least, most] = [0, sizes.length - 1].map((i) => middle((turn) => turn[i]![1].inside_us)) as [number, number]
    const logs = Math.log(sizes.at(-1)!) / Math.log(sizes[0]!)
    // Without a cache, because it would hold all of a small pack but not of a large one, which hides the cost of the
    // search.
    reportFigure(
      'a point query from 1,000 to 1,000,000 polygons, nothing cached',
      `${(most / least).toFixed(1)} times the time`,
      most <= logs * least,
      `${logs.toFixed(1)} times: no faster than log n`,
    )
    const costs = paths.map((_, i) => middle((turn) => turn[i]![1].inside_us))
    const steps = sizes.map((size, i) => ({ size, cost: costs[i]! }))
    const peer = { name: 'PostGIS, a join with all points', steps: await joinInPostgis(folder, paths, seed) }
    if (isLong) {
      rmSync(paths.at(-1)!)
      const path = writePolygons(join(folder, 'long.gpkg'), { size: longSize, corners: longCorners, seed })
      steps.push({ size: longSize, cost: request(path, seed, 0).inside_us })
    }
    return {
      what: 'polygons of a pack',
      measured: 'a point query, nothing cached',
      unit: 'µs',
      steps,
      end: `not reached at ${steps.at(-1)!.size.toLocaleString('en-US')} polygons`,
      peer,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The cost of a point in PostGIS, which joins all points with the polygons in one statement. None without PostGIS. */
async function joinInPostgis(folder: string, paths: string[], seed: number): Promise<GrowthAxis['steps']> {
  const postgis = await openPostgis(folder, 'polygons of a pack beside PostGIS')
  if (!postgis) return []
  const random = randomOf(seed + 1)
  const values = Array.from({ length: points }, () => pointOf(random)).map(({ lat, lng }) => `(${lng},${lat})`)
  await postgis.rows(
    `CREATE TABLE points AS SELECT ST_SetSRID(ST_MakePoint(x, y), 4326) AS geom FROM (VALUES ${values.join()}) AS v(x, y)`,
  )
  await postgis.rows('ANALYZE points')
  const steps: GrowthAxis['steps'] = []
  try {
    for (const [i, path] of paths.entries()) {
      if (sizes[i]! > postgisMax) break
      await loadPolygons(path, postgis)
      const join = () => postgis.rows('SELECT count(*) FROM points p JOIN round r ON ST_Intersects(r.geom, p.geom)')
      await join()
      // PostGIS works for one connection in one process, so its processor time is close to the duration.
      const began_ms = performance.now()
      await join()
      steps.push({ size: sizes[i]!, cost: ((performance.now() - began_ms) * 1000) / points })
      await postgis.rows('DROP TABLE round')
    }
  } finally {
    await postgis.close()
  }
  return steps
}

/** Copies the polygons of a pack into a table, with an index. */
async function loadPolygons(path: string, postgis: Postgis): Promise<void> {
  await postgis.rows('CREATE TABLE round (geom geometry(Polygon, 4326))')
  const db = new Database(path, { readonly: true })
  const page = db.query<{ wkb: string }, [number, number]>(
    `SELECT hex(substr(geom, ${gpkgHeader_bytes + 1})) AS wkb FROM round LIMIT ? OFFSET ?`,
  )
  for (let from = 0; ; from += rowsPerInsert) {
    const values = page.all(rowsPerInsert, from).map(({ wkb }) => `('${wkb}')`)
    if (values.length === 0) break
    await postgis.rows(
      `INSERT INTO round SELECT ST_GeomFromWKB(decode(x, 'hex'), 4326) FROM (VALUES ${values.join()}) AS v(x)`,
    )
  }
  db.close()
  await postgis.rows('CREATE INDEX ON round USING gist (geom)')
  await postgis.rows('VACUUM ANALYZE round')
}

type PolygonOptions = { size: number; corners: number; seed: number }

/** Polygons that are held in memory while they are written. */
const batchSize = 250_000

/**
 * Writes round polygons scattered over the 48 states, in the order of `pack build`. They cover about half of the area
 * whatever their number.
 */
function writePolygons(path: string, { size, corners, seed }: PolygonOptions): string {
  const radius = Math.sqrt((0.5 * 24 * 57) / size / Math.PI)
  const { lats, lngs, order } = scatter(size, seed)
  writePack(path).layer('round', [], { type: 'POLYGON', boxes: [] }).close()
  const db = new Database(path)
  for (const sql of ['PRAGMA synchronous = OFF', 'PRAGMA journal_mode = OFF', 'ALTER TABLE round ADD COLUMN id'])
    db.run(sql)
  const insert = db.prepare('INSERT INTO round (fid, geom, id) VALUES (?, ?, ?)')
  const insertBox = db.prepare('INSERT INTO rtree_round_geom VALUES (?, ?, ?, ?, ?)')
  const writeBatch = db.transaction((from: number) => {
    for (let i = from; i < Math.min(size, from + batchSize); i++) {
      const [lat, lng] = [lats[order[i]!]!, lngs[order[i]!]!]
      insert.run(i + 1, round(lng, lat, { radius, corners }), i)
      insertBox.run(i + 1, lng - radius, lng + radius, lat - radius, lat + radius)
    }
  })
  for (let from = 0; from < size; from += batchSize) writeBatch(from)
  db.close()
  return path
}

/** Random points, and their order along the Hilbert curve. */
function scatter(size: number, seed: number) {
  const random = randomOf(seed)
  const [lats, lngs, places] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)]
  for (let i = 0; i < size; i++) {
    const { lat, lng } = pointOf(random)
    lats[i] = lat
    lngs[i] = lng
    places[i] = hilbertIndexOf(lng, lat)
  }
  const order = Uint32Array.from({ length: size }, (_, i) => i).sort((a, b) => places[a]! - places[b]!)
  return { lats, lngs, order }
}

function round(lng: number, lat: number, { radius, corners }: { radius: number; corners: number }): Uint8Array {
  const bytes = new Uint8Array(8 + 5 + 8 + 16 * (corners + 1))
  const view = new DataView(bytes.buffer)
  bytes.set([0x47, 0x50, 0, 1])
  view.setInt32(4, 4326, true)
  view.setUint8(8, 1)
  view.setUint32(9, 3, true)
  view.setUint32(13, 1, true)
  view.setUint32(17, corners + 1, true)
  for (let i = 0; i <= corners; i++) {
    const angle = (2 * Math.PI * (i % corners)) / corners
    view.setFloat64(21 + 16 * i, lng + radius * Math.cos(angle), true)
    view.setFloat64(29 + 16 * i, lat + radius * Math.sin(angle), true)
  }
  return bytes
}

function request(path: string, seed: number, cache_bytes?: number): { inside_us: number; nearest_us: number } {
  const layer = openLayer(path, 'round', cache_bytes)
  const random = randomOf(seed + 1)
  const some = Array.from({ length: points }, () => pointOf(random))
  const us = (ask: (at: Point) => unknown, all: Point[]) => {
    const before = process.cpuUsage()
    for (const at of all) ask(at)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / all.length
  }
  const inside = (at: Point) => layer.query({ at, radius_m: 0 })
  const nearest = (at: Point) => layer.query({ at, radius_m: Infinity, limit: 1 })
  us(inside, some.slice(0, 1000))
  us(nearest, some.slice(0, 1000))
  const result = { inside_us: us(inside, some.slice(1000)), nearest_us: us(nearest, some.slice(1000)) }
  layer.close()
  return result
}

function pointOf(random: () => number): Point {
  return { lat: 25 + 24 * random(), lng: -124 + 57 * random() }
}

/** Opens the pack in a new process, so that nothing else adds to its memory. */
async function opened(path: string): Promise<void> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'opened.ts'), path, 'round'], {
    stdout: 'pipe',
  })
  const { took_ms, grown_mb, bytes } = JSON.parse(await child.stdout.text()) as {
    took_ms: number
    grown_mb: number
    bytes: number
  }
  reportFigure(
    `opening a pack of ${(bytes / bytesOfGiga).toFixed(2)} GB`,
    `${took_ms.toFixed(1)} ms, ${grown_mb.toFixed(1)} MB`,
    took_ms <= 100 && grown_mb <= 20 && bytes >= bytesOfGiga,
    '100 ms, 20 MB',
  )
}
