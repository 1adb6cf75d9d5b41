import { Database, type Statement } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { runProgram } from './gdal.ts'
import { writeBenchLayer, openLayer } from './layers.ts'
import { randomOf } from './random.ts'
import { reportWithPeer, reportFigure, reportSkipped } from './report.ts'

const points = 500
const radius_m = 20_000
/** A lower bound of the length of a degree of latitude. */
const degree_m = 110_000

/**
 * Compares point in polygon, nearest and count within a radius with SpatiaLite, on the same layers in the same process.
 */
export async function benchSpatialite(seed: number): Promise<void> {
  const why = missing()
  if (why) return reportSkipped('packs compared with SpatiaLite', why)
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-spatialite-'))
  try {
    const db = await opened(folder, ['counties', 'places'])
    const random = randomOf(seed)
    const some = Array.from({ length: points }, () => ({ lat: 30 + 15 * random(), lng: -120 + 40 * random() }))
    const counties = openLayer(join(folder, 'counties.gpkg'), 'counties')
    const places = openLayer(join(folder, 'places.gpkg'), 'places')
    const framed = (table: string, frame: string) =>
      `ROWID IN (SELECT ROWID FROM SpatialIndex WHERE f_table_name = '${table}' AND search_frame = ${frame})`
    const here = 'MakePoint($lng, $lat, 4326)'

    const holding = db.query<{ id: number }, [Bound]>(
      `SELECT id FROM counties WHERE ${framed('counties', here)} AND ST_Covers(geom, ${here})`,
    )
    compared(
      'counties: point in polygon',
      some,
      (at) => counties.query({ at, radius_m: 0 }).map(({ properties }) => Number(properties.id)),
      (at) => holding.all(bound(at)).map(({ id }) => id),
    )

    const counting = db.query<{ n: number }, [Bound]>(
      `SELECT count(*) AS n FROM places WHERE ${framed('places', 'BuildMbr($west, $south, $east, $north, 4326)')} AND ST_Distance(geom, ${here}, 1) <= ${radius_m}`,
    )
    compared(
      `places: count within ${radius_m / 1000} km`,
      some,
      (at) => [places.query({ at, radius_m, count_only: true }).length],
      (at) => [counting.get(bound(at))!.n],
    )

    const nearest = db.query<{ id: number; m: number }, [Bound]>(
      `SELECT id, ST_Distance(geom, ${here}, 1) AS m FROM places WHERE ${framed('places', 'BuildMbr($west, $south, $east, $north, 4326)')} ORDER BY m LIMIT 1`,
    )
    compared(
      'places: nearest',
      some,
      (at) => places.query({ at, radius_m: Infinity, limit: 1 }).map(({ properties }) => Number(properties.id)),
      (at) => [nearestOf(nearest, at)],
    )
    counties.close()
    places.close()
    db.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Bound = { $lat: number; $lng: number; $west: number; $east: number; $south: number; $north: number }

function missing(): string | null {
  if (Bun.which('ogr2ogr') === null) return 'the GDAL programs (Debian gdal-bin) are not installed'
  const db = new Database(':memory:')
  try {
    db.loadExtension('mod_spatialite')
    return null
  } catch {
    return 'SpatiaLite (Debian libsqlite3-mod-spatialite) is not installed'
  } finally {
    db.close()
  }
}

/** Creates a SpatiaLite database with the layers and their indexes. */
async function opened(folder: string, names: ('counties' | 'places')[]): Promise<Database> {
  const path = join(folder, 'peer.sqlite')
  for (const [i, name] of names.entries()) {
    const file = await writeBenchLayer(folder, name)
    await runProgram([
      'ogr2ogr',
      '-f',
      'SQLite',
      ...(i === 0 ? ['-dsco', 'SPATIALITE=YES'] : ['-update']),
      path,
      file,
      name,
      '-nln',
      name,
      '-lco',
      'GEOMETRY_NAME=geom',
      '-lco',
      'SPATIAL_INDEX=YES',
      '-preserve_fid',
    ])
  }
  const db = new Database(path)
  db.loadExtension('mod_spatialite')
  return db
}

/** Runs the same queries twice on both and reports the second time. */
function compared(what: string, some: Point[], ours: (at: Point) => number[], theirs: (at: Point) => number[]): void {
  const timed = (ask: (at: Point) => number[]) => {
    for (const at of some) ask(at)
    const begun = performance.now()
    const found = some.map((at) =>
      ask(at)
        .toSorted((a, b) => a - b)
        .join(),
    )
    return { us: (1000 * (performance.now() - begun)) / some.length, found }
  }
  const [own, peer] = [timed(ours), timed(theirs)]
  reportWithPeer({
    what,
    ours: `${own.us.toFixed(1)} µs`,
    peer: `SpatiaLite ${peer.us.toFixed(0)} µs`,
    ratio: peer.us / own.us,
    promised: null,
  })
  const same = own.found.filter((it, i) => it === peer.found[i]).length
  reportFigure(
    `${what}: the same answer`,
    `${same} of ${some.length}`,
    true,
    'no bound: each has its own rule for borders and distances',
  )
}

/**
 * Searches growing frames until the nearest feature is inside. The search of SpatiaLite (`knn`) measures in degrees,
 * and version 5.0.1 crashes the process.
 */
function nearestOf(nearest: Statement<{ id: number; m: number }, [Bound]>, at: Point): number {
  for (let within_m = radius_m; ; within_m *= 2) {
    const found = nearest.get(bound(at, within_m))
    if (found && found.m <= within_m) return found.id
  }
}

function bound({ lat, lng }: Point, within_m = radius_m): Bound {
  const high = (within_m / degree_m) * 1.01
  const wide = high / Math.cos((lat * Math.PI) / 180)
  return { $lat: lat, $lng: lng, $west: lng - wide, $east: lng + wide, $south: lat - high, $north: lat + high }
}
