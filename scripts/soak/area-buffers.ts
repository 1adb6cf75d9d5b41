import { allOf } from '../../src/async/maybe-promise.ts'
import { bufferLine, bufferPieces } from '../../src/geo/overlay/buffer.ts'
import { extentOf } from '../../src/geo/overlay/cut-at-extent.ts'
import { Overlay } from '../../src/geo/overlay/overlay.ts'
import type { FlatPath } from '../../src/model/area.ts'
import type { Postgis } from '../bench/postgis.ts'
import { atMost, type Finding } from './finding.ts'

/** The border of a buffer may be this much nearer or farther, as a share of its distance. */
const distanceMax = 1e-4

/**
 * Measures the distance of border vertices of random circles and corridors from their line, with the geodesic distance
 * of PostGIS. (The buffers of PostGIS itself are planar and differ by up to 0.1 %.)
 */
export async function soakBuffers(postgis: Postgis, cases: number, random: () => number): Promise<Finding[]> {
  let worst = 0
  for (let i = 0; i < cases; i++) {
    const distance_m = 10 ** (1 + 3.5 * random())
    const line = randomLine(random, distance_m)
    const polygons = bufferPieces([line]).map((piece) => bufferLine(piece, distance_m))
    const overlay = new Overlay(extentOf(polygons.flat()))
    const pieces = await allOf(polygons.map((polygon) => overlay.fromPolygon(polygon)))
    const [border] = overlay.toPaths(await overlay.union(pieces.flat()))
    const places = Array.from({ length: 8 }, () => 2 * Math.floor((border!.length / 2) * random()))
    const points = places.map((at) => `${border![at]} ${border![at + 1]}`)
    const measured = await postgis.rows<{ distance_m: number }>(
      `SELECT ST_Distance(p.geom::geography, l.line) AS distance_m FROM ST_Dump(ST_GeomFromText('MULTIPOINT(${points.join(', ')})', 4326)) p, (SELECT ST_Segmentize(ST_GeomFromText('${wktOfLine(line)}', 4326), 0.002)::geography AS line) l`,
    )
    for (const row of measured) worst = Math.max(worst, Math.abs(row.distance_m / distance_m - 1))
  }
  return [
    atMost('areas', `largest error of the border of ${cases} buffers, in millionths`, worst / 1e-6, distanceMax / 1e-6),
  ]
}

/** A point, or a line of a few bends that is long beside the distance. */
function randomLine(random: () => number, distance_m: number): FlatPath {
  const line = [-124 + 57 * random(), 18 + 50 * random()]
  const count = Math.floor(4 * random())
  const step_degrees = (1 + 20 * random()) * (distance_m / 111_000)
  for (let i = 0; i < count; i++)
    line.push(line.at(-2)! + step_degrees * (random() - 0.3), line.at(-1)! + step_degrees * (random() - 0.5))
  return line
}

function wktOfLine(line: FlatPath): string {
  const positions = Array.from({ length: line.length / 2 }, (_, i) => `${line[2 * i]} ${line[2 * i + 1]}`)
  return positions.length === 1 ? `POINT(${positions[0]})` : `LINESTRING(${positions.join(', ')})`
}
