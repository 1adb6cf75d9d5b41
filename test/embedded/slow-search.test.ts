import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { describeLayer, readFeatures } from '../../scripts/embed/read-geopackage.ts'
import { chordToArc_m, segmentDistance2, xyzOf, type Xyz } from '../../src/geo/ecef.ts'
import { coordinateStep_degrees, type FlatGeometries } from '../../src/geo/flat-geometries.ts'
import { createGeometryCollector } from '../../scripts/embed/geometry-collector.ts'
import { ringsContain } from '../../src/geo/polygon.ts'
import { compileCondition } from '../../src/geo/text/sql-condition.ts'
import { usEnvelope } from '../../src/geo/us.ts'
import type { Point } from '../../src/model/place.ts'
import type { Properties } from '../../src/model/source.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile, embeddedGeopackage } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)
const random = randomOf(20)
const step_perCell = 4096

describe.each(['counties', 'timezones'])('the features of %s that contain a point', (name) => {
  const { shapes, rows } = readSlowLayer(name)

  test('are those whose rings contain it, also on borders and corners of polygons and cells', () => {
    for (const at of pointsFor(shapes, 400)) {
      const found = embedded.layer(name).query({ at, radius_m: 0 })
      const slow = featuresAround(shapes, at).map((row) => rows[row]!)
      const isSnapped = slow.length === 0 && found.length === 1 && Number(found[0]!.properties.SNAP_M) > 0
      if (!isSnapped) expect({ at, found: found.map((it) => it.properties) }).toEqual({ at, found: slow })
    }
  })
})

describe.each([
  ['places', undefined],
  ['places', "FCODE <> 'PPLX' AND POPULATION >= 250000"],
  ['airports', undefined],
  ['airports', "SITE_TYPE_CODE='A' AND FACILITY_USE_CODE='PU'"],
  ['zips', undefined],
  ['tide_stations', 'MHHW_M IS NOT NULL'],
])('the nearest feature of %s (%s)', (name, where) => {
  const { shapes, rows } = readSlowLayer(name)
  const passes = where === undefined ? () => true : compileCondition(where)
  const candidates = rows.flatMap((properties, row) =>
    passes(properties) ? [{ properties, xyz: xyzOf(vertexAt(shapes, row)) }] : [],
  )

  test('is the first of those at the least distance', () => {
    for (const at of pointsFor(shapes, 300)) {
      const [found] = embedded.layer(name).query({ at, radius_m: Infinity, limit: 1, ...(where && { where }) })
      const from = xyzOf(at)
      const distances = candidates.map(({ xyz }) => distance2(from, xyz, xyz))
      const least = distances.reduce((a, b) => Math.min(a, b))
      const { properties } = candidates[distances.indexOf(least)]!
      expect({ at, ...found! }).toEqual({ at, properties, distance_m: chordToArc_m(Math.sqrt(least)) })
    }
  })
})

test('the distance to the coast is the least of all segments', () => {
  const { shapes } = readSlowLayer('coastline')
  const vertices = Array.from({ length: shapes.coordinates.length / 2 }, (_, i) => xyzOf(vertexAt(shapes, i)))
  for (const at of pointsFor(shapes, 60)) {
    const from = xyzOf(at)
    let least = Infinity
    for (let line = 0; line + 1 < shapes.starts.length; line++)
      for (let i = shapes.starts[line]!; i + 1 < shapes.starts[line + 1]!; i++)
        least = Math.min(least, distance2(from, vertices[i]!, vertices[i + 1]!))
    const [found] = embedded.layer('coastline').query({ at, radius_m: Infinity, limit: 1 })
    // Long segments follow a straight line in degrees, so they are not exactly straight in space.
    expect(Math.abs(found!.distance_m - chordToArc_m(Math.sqrt(least)))).toBeLessThan(2)
  }
})

function readSlowLayer(name: string): { shapes: FlatGeometries; rows: Properties[] } {
  const db = new Database(embeddedGeopackage, { readonly: true })
  const collector = createGeometryCollector()
  const rows: Properties[] = []
  for (const { geometry, properties } of readFeatures(db, describeLayer(db, name))) {
    collector.add(geometry)
    rows.push(properties)
  }
  db.close()
  return { shapes: collector.finish(), rows }
}

/** Points anywhere in the US, on vertices, in the middle of edges, beside vertices, and on borders of cells. */
function* pointsFor(shapes: FlatGeometries, count: number): Generator<Point> {
  const { coordinates } = shapes
  const anywhere = (): Point => {
    const [south, west, north, east] = usEnvelope[Math.floor(usEnvelope.length * random() ** 2)]!
    return { lat: south + (north - south) * random(), lng: west + (east - west) * random() }
  }
  const shift = (size: number) => Math.round(size * (random() - 0.5))
  for (let i = 0; i < count; i++) {
    const vertex = 2 * Math.floor((random() * (coordinates.length - 2)) / 2)
    const [x, y, nextX, nextY] = coordinates.subarray(vertex, vertex + 4) as unknown as [number, number, number, number]
    const choices = [
      [x, y],
      [(x + (nextX ?? x)) / 2, (y + (nextY ?? y)) / 2],
      [x + shift(4), y + shift(4)],
      [step_perCell * Math.round(x / step_perCell) + shift(2), y + shift(step_perCell)],
    ] as const
    const [atX, atY] = choices[i % 5] ?? [NaN, NaN]
    const at = { lat: atY * coordinateStep_degrees, lng: atX * coordinateStep_degrees }
    yield Math.abs(at.lat) <= 90 && Math.abs(at.lng) <= 180 ? at : anywhere()
  }
}

function featuresAround({ coordinates, starts, polygonRings, polygonFeatures }: FlatGeometries, at: Point): number[] {
  const [x, y] = [at.lng === 180 ? -180 : at.lng, at.lat].map((degrees) => degrees / coordinateStep_degrees)
  const found = new Set<number>()
  for (let polygon = 0; polygon < polygonFeatures.length; polygon++)
    if (ringsContain(coordinates, starts, polygonRings[polygon]!, polygonRings[polygon + 1]!, x!, y!))
      found.add(polygonFeatures[polygon]!)
  return [...found].toSorted((a, b) => a - b)
}

function vertexAt({ coordinates }: FlatGeometries, i: number): Point {
  return { lng: coordinates[2 * i]! * coordinateStep_degrees, lat: coordinates[2 * i + 1]! * coordinateStep_degrees }
}

function distance2(from: Xyz, a: Xyz, b: Xyz): number {
  return segmentDistance2(from, a.x, a.y, a.z, b.x, b.y, b.z)
}
